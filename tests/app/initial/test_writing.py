"""The first configuration: it loads, whatever was seen, and what is uncertain is commented out."""

import re
from pathlib import Path

import pytest

from trainwatch.app import config
from trainwatch.app.config import RunSettings
from trainwatch.app.initial.writing import configuration
from trainwatch.core.around import Around, LogAt
from trainwatch.core.checkpoints import layouts
from trainwatch.core.doctor.logs import LogSeen
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.facts import Facts
from trainwatch.core.slurm.outputs import RunningJob

RUN = RunSettings(log="/a/main_log.txt", name="tr11")
CK = tuple(one for n in (5, 10) if (one := layouts.named(f"global_step{n}")) is not None)
SEEN = LogSeen(9, 0.0, "megatron-lm", True, 1, 95_000)
JOB = RunningJob("7", "tr11-13B[a]*", "/a/main_log.txt")


def written(around: Around, facts: Facts | None = None) -> str:
    return configuration(RUN, facts or Facts(), "t.toml", None, around)


def test_nothing_around_is_nothing_more() -> None:
    assert written(Around()) == configuration(RUN, Facts(), "t.toml")


def test_the_one_folder_of_checkpoints_is_used_and_of_several_none() -> None:
    one = written(Around(roots=(RootSeen("/a/ck", found=CK),)))
    assert config.parse(one).runs[0].checkpoints.path == "/a/ck"
    assert "# seen below the folder: 2 deepspeed, up to iteration 10\n" in one
    two = written(Around(roots=(RootSeen("/a/ck", found=CK), RootSeen("/a/ck2", found=CK))))
    assert config.parse(two).runs[0].checkpoints.path is None
    assert '# path = "/a/ck2"' in two


WHOSE = {
    "beside it": ("/p/main_log.txt", (), "/p/ck", True),
    "logs in a folder of their own": ("/p/logs/main_log.txt", (), "/p/ck", True),
    "below it": ("/p/main_log.txt", (), "/p/out/ck", True),
    "another log beside it": ("/p/main_log.txt", ("/p/older.out",), "/p/ck", True),
    "of the neighbour": ("/p/a/main_log.txt", ("/p/b/main_log.txt",), "/p/b/ck", False),
    "of either": ("/p/a/main_log.txt", ("/p/b/main_log.txt",), "/p/ck", False),
    "its own, beside a neighbour": ("/p/a/main_log.txt", ("/p/b/main_log.txt",), "/p/a/ck", True),
}


@pytest.mark.parametrize("name", WHOSE)
def test_whose_a_folder_of_checkpoints_is(name: str) -> None:
    log, others, root, sure = WHOSE[name]
    logs = tuple(LogAt(path, SEEN) for path in (log, *others))
    around = Around(logs=logs, roots=(RootSeen(root, found=CK),))
    text = configuration(RunSettings(log=log, name="x"), Facts(), "t.toml", None, around)
    assert config.parse(text).runs[0].checkpoints.path == (root if sure else None)
    assert f'path = "{root}"' in text


def test_what_the_log_names_wins_and_is_off_where_it_cannot_be_seen() -> None:
    roots = (RootSeen("/b/ck", found=CK), RootSeen("/a/ck", found=CK))
    there = written(Around(roots=roots), Facts(save_path="/a/ck"))
    assert config.parse(there).runs[0].checkpoints.path == "/a/ck"
    assert "from the log (--save); 2 deepspeed" in there
    gone = written(Around(roots=(RootSeen("/c", why="gone"),)), Facts(save_path="/c"))
    assert config.parse(gone).runs[0].checkpoints.path is None
    assert (
        '# path = "/c"                         # from the log (--save); it cannot be looked' in gone
    )


def test_the_job_that_writes_the_log_is_the_runs() -> None:
    text = written(Around(jobs=(RunningJob("6", "other", "/b"), JOB)))
    run = config.parse(text).runs[0]
    assert run.slurm.job_name == "tr11-13B[[]a][*]"
    assert "# job 7 (tr11-13B[a]*) writes it" in text
    doubtful = written(Around(jobs=(RunningJob("6", "other", "/b"),)))
    assert config.parse(doubtful).runs[0].slurm.job_name is None
    assert '# job_name = "other"' in doubtful


def test_scalars_logins_and_other_logs_are_off() -> None:
    around = Around(
        folder="/a",
        logs=(LogAt("/a/main_log.txt", SEEN), LogAt("/a/old.out", SEEN)),
        boards=("/a/tb",),
        login="/home/ada/.cache/huggingface/token",
        cut="only 20,000 names were looked at",
    )
    text = written(around)
    settings = config.parse(text)
    assert (len(settings.runs), settings.sync, settings.runs[0].tensorboard.dir) == (1, (), None)
    for line in (
        '# log = "/a/old.out"                  # megatron-lm, up to iteration 95,000',
        '# dir = "/a/tb"                       # event files were seen there; trainwatch',
        "# You are logged in to the Hub (/home/ada/.cache/huggingface/token).",
        '# what = ["main_log.txt"]',
        "# Not all of it was seen: only 20,000 names were looked at.",
    ):
        assert line in text
    assert '# log = "/a/main_log.txt"' not in text


def test_what_is_commented_out_loads_too() -> None:
    around = Around(
        logs=(LogAt("/a/old.out", SEEN),),
        boards=("/a/tb",),
        jobs=(JOB._replace(output=""),),
        login="HF_TOKEN",
    )
    text = re.sub(r"^# (\w+ = \S|\[)", r"\1", written(around), flags=re.MULTILINE)
    settings = config.parse(text)
    assert [run.log for run in settings.runs] == ["/a/main_log.txt", "/a/old.out"]
    assert settings.runs[0].slurm.job_name == "tr11-13B[[]a][*]"
    assert settings.sync[0].to == "hf://datasets/ORG/NAME"


def test_more_runs_beyond_doubt_have_tables() -> None:
    at = LogAt(
        "/a/two.out", SEEN._replace(facts=Facts(num_layers=3, sources={"num_layers": "log"}))
    )
    more = [(RunSettings(log="/a/two.out", name="two"), at)]
    text = configuration(RUN, Facts(), "t.toml", None, Around(logs=(at,)), more)
    assert [run.name for run in config.parse(text).runs] == ["tr11", "two"]
    assert text.index('log = "/a/two.out"') < text.index("# num_layers = 3 ")


@pytest.mark.parametrize(
    "odd", ['"\n[cron]\nmode = "x', "\x1b[31m", "\\", "#", "\U000e0001", "\x85", "'''"]
)
def test_hostile_names_load_and_stay_names(odd: str) -> None:
    around = Around(
        folder=odd,
        logs=(LogAt(f"/a/{odd}", SEEN),),
        roots=(RootSeen(f"/a/{odd}", found=CK),),
        boards=(f"/{odd}",),
        jobs=(RunningJob("7", odd, "/a/main_log.txt"),),
        login=odd,
        cut=odd,
    )
    run = RunSettings(log="/a/main_log.txt", name=odd)
    text = configuration(run, Facts(), "t.toml", None, around)
    assert all(line.isprintable() for line in text.splitlines())
    settings = config.parse(re.sub(r"(?m)^name = .*$", 'name = "x"', text))
    assert settings.runs[0].checkpoints.path == f"/a/{odd}"
    assert Path(settings.runs[0].log) == Path("/a/main_log.txt")
    assert settings.cron == config.Settings().cron
