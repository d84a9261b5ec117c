"""[[disks]]: what is accepted, and what is said of what is not."""

from pathlib import Path

import pytest

from trainwatch.app import config
from trainwatch.app.disks.settings import DiskSettings
from trainwatch.core.disks import idrquota
from trainwatch.core.disks.table import COMMANDS
from trainwatch.core.errors import UsageError

OWN = 'quota = "own"\ncommand = ["myquota"]\n'


def disks(text: str) -> tuple[DiskSettings, ...]:
    return config.parse(text).disks


def disk(text: str) -> DiskSettings:
    return disks(f'[[disks]]\npath = "/scratch"\n{text}')[0]


def test_without_a_table_nothing_is_looked_at() -> None:
    assert disks("") == ()


def test_what_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    plain, named = disks('[[disks]]\npath = "~/x/"\n[[disks]]\npath = "/x"\nname = "fast one"')
    assert (plain.label, plain.folder) == ("/home/ada/x", "/home/ada/x")
    assert (named.label, named.folder) == ("fast one", "/x")


@pytest.mark.parametrize("kind", ["quota", "lustre", "gpfs"])
@pytest.mark.parametrize("whose", ['user = "ada"', 'group = "six"', 'project = "7"', ""])
def test_quotas(kind: str, whose: str) -> None:
    asked = disk(f'quota = "{kind}"\n{whose}').asked()
    assert [asked.user, asked.group, asked.project].count("") == (2 if whose else 3)
    assert COMMANDS[kind].argv(asked)


def test_every_command_of_the_table_can_be_named() -> None:
    more = {"own": f"{OWN}pattern = '(?P<bytes_free>.)'", "idrquota": 'filesystem = "home"'}
    for kind in COMMANDS:
        assert disk(f'quota = "{kind}"\n{more.get(kind, "")}'.removeprefix('quota = "own"\n'))
    for space in idrquota.SPACES:
        assert disk(f'quota = "idrquota"\nfilesystem = "{space}"')


def test_a_command_instead_of_the_usual_one() -> None:
    over_ssh = disk('quota = "lustre"\ncommand = ["ssh", "login1", "lfs", "quota", "/scratch"]')
    assert over_ssh.asked().command[:2] == ("ssh", "login1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('path = "/x"\nquota = "lustr"', 'one of "quota", "lustre", "gpfs", "idrquota" and "own"'),
        ('path = "x"', "line 2: disks[0].path: expected a folder that begins with / or ~"),
        ('name = "x"', "missing required field 'path'"),
        ('path = "/x"\nuser = "ada"', "'user' is for a quota: set quota = "),
        ('path = "/x"\nquota = "lustre"\nuser = "-x"', "user: expected one name, without blanks"),
        ('path = "/x"\nquota = "lustre"\nuser = "a"\ngroup = "b"', "name either user or group"),
        ('path = "/x"\nquota = "lustre"\npattern = "."', "'pattern' is for quota = \"own\""),
        ('path = "/x"\nquota = "own"', 'quota = "own" needs a command = '),
        (f'path = "/x"\n{OWN}', 'quota = "own" needs a command = '),
        (f'path = "/x"\n{OWN}pattern = "("', "pattern is no regular expression: "),
        (f'path = "/x"\n{OWN}pattern = "(?P<x>.)"', "pattern has a group 'x'; known are bytes_"),
        (f'path = "/x"\n{OWN}pattern = "."', "pattern needs a group (?P<bytes_free>...)"),
        (f'path = "/x"\n{OWN}pattern = "."\nuser = "ada"', "'user' is for the other kinds"),
        ('path = "/x"\nquota = "idrquota"', 'needs filesystem = "home", "work" or "store"'),
        ('path = "/x"\nquota = "quota"\ncommand = [""]', "command has an empty name"),
        ('path = "/x"\nwatch = ["/x/**"]', "watch[0]: expected a folder, or a glob without **"),
        ('path = "/x"\nwach = []', "unknown key 'disks[0].wach'. Did you mean 'watch'?"),
        ('path = "/x"\ninterval_min = 0', "interval_min: expected number >= 1.0"),
        ('path = "/x"\n[[disks]]\npath = "/x/"', "two of them are called '/x': give one of them"),
    ],
)
def test_what_cannot_be_meant(text: str, said: str) -> None:
    with pytest.raises(UsageError) as failed:
        disks(f"[[disks]]\n{text}")
    assert said in str(failed.value)
    assert str(failed.value).startswith("config.toml")


def test_the_example_shows_every_key() -> None:
    text = (Path(__file__).parents[3] / "config.example.toml").read_text()
    table = text[text.index("# Disks: ") : text.index("# Alerts: ")]
    for key in DiskSettings.__struct_fields__:
        assert f"\n# {key} = " in table, key
