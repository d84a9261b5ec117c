"""The example scripts of cron/, really run: by the shells that are here, with commands that answer."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from trainwatch.adapters.scripts import Machine

CRON = Path(__file__).parents[2] / "cron"
QUOTA, SWEEP = CRON / "cron.hourly" / "quota-report", CRON / "cron.hourly" / "node-sweep"
CLEAN = CRON / "cron.daily" / "clean-old-output"
TOOLS = (
    *("awk", "basename", "cat", "cut", "date", "df", "find", "id", "mkdir", "mktemp", "mv", "rm"),
    *("sleep", "sort", "tr", "wc"),
)
DAY = 86_400
SHELLS = [shell for shell in ("sh", "bash") if shutil.which(shell)]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(shutil.which(request.param))


class Place:
    """A home, and a PATH that holds just what a test puts there."""

    def __init__(self, home: Path) -> None:
        self.home, self.bin = home / "home", home / "bin"
        self.home.mkdir()
        self.bin.mkdir()
        for tool in (*TOOLS, "timeout"):
            found = shutil.which(tool)
            assert found is not None, tool
            (self.bin / tool).symlink_to(found)

    def command(self, name: str, text: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def answers(self, name: str, answer: str) -> None:
        self.command(name, f"cat <<'END'\n{answer}\nEND")

    def run(self, shell: str, script: Path, **environment: str) -> tuple[int, list[str]]:
        done = subprocess.run(
            [shell, str(script)],
            env={
                "PATH": str(self.bin),
                "HOME": str(self.home),
                "TRAINWATCH_STATE_DIR": str(self.home / "state"),
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=60,
            cwd="/",
        )
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_folders_hold_what_would_be_run() -> None:
    for name, scripts in (
        ("cron.hourly", ("node-sweep", "quota-report")),
        ("cron.daily", ("clean-old-output",)),
    ):
        listing = Machine(group_may_write=True).listed(str(CRON / name))
        if not listing.trouble:  # somebody's checkout may lie where all may write
            assert (listing.names, listing.left_out) == (scripts, ())
        assert all(os.access(CRON / name / script, os.X_OK) for script in scripts)


# -- quota-report

QUOTAS = """Disk quotas for user ada (uid 1000):
     Filesystem  blocks   quota   limit   grace   files   quota   limit   grace
nfs:/home  {used}  50000000 60000000       0  1200  100000  120000       0
nfs:/other  5  0 0       0  12  0  0       0"""
LFS = "/lustre/work\n   {used}  0 1000000000       -  90  0 1000       -"
_HEADER = (
    "version:reserved:reserved:filesystemName:quotaType:id:name:blockUsage:blockQuota:blockLimit:"
    "blockInDoubt:blockGrace:filesUsage:filesQuota:filesLimit:filesInDoubt:filesGrace:remarks:"
)
MMLS = (
    f"mmlsquota::HEADER:{_HEADER}\n"
    "mmlsquota::0:1:::gpfs1:USR:1000:ada:{used}:900:1000:0:none:50:0:0:0:none::"
)


def test_quotas(shell: str, place: Place) -> None:
    place.answers("quota", QUOTAS.format(used=20000000))
    code, said = place.run(shell, QUOTA)
    assert (code, said) == (
        0,
        ["nfs:/home: 20.0 of 50.0 GB, 40 %", "nfs:/home: 1200 of 100000 files, 1 %"],
    )
    place.answers("quota", QUOTAS.format(used="51000000*"))
    code, said = place.run(shell, QUOTA)
    assert (code, said[-1]) == (1, "nearly used up: nfs:/home: 51.0 of 50.0 GB, 102 %")


def test_quotas_of_lustre_and_gpfs(shell: str, place: Place) -> None:
    place.answers("lfs", LFS.format(used="200000000"))
    place.answers("mmlsquota", MMLS.format(used="100"))
    code, said = place.run(shell, QUOTA, QUOTA_FOLDERS="/lustre/work")
    assert code == 0
    assert said[0].startswith("/lustre/work -u ")
    assert said[0].endswith(": 200.0 of 1000.0 GB, 20 %")
    assert said[1].endswith(": 90 of 1000 files, 9 %")
    assert said[-1] == "gpfs1 USR ada: 0.0 of 0.0 GB, 11 %"
    place.answers("lfs", LFS.format(used="950000000*"))
    place.answers("mmlsquota", MMLS.format(used="890"))
    code, said = place.run(shell, QUOTA, QUOTA_FOLDERS="/lustre/work")
    assert code == 1
    assert [line.startswith("nearly used up: ") for line in said].count(True) == 3


def test_without_quotas_df_answers(shell: str, place: Place) -> None:
    place.command("quota", "exit 1")
    code, said = place.run(shell, QUOTA, DISK_WARN_PERCENT="101")
    assert code == 0
    assert said[0].startswith(f"{place.home} (all of ")
    code, said = place.run(shell, QUOTA, DISK_WARN_PERCENT="0")
    assert code == 1
    assert said[-1].startswith("nearly used up: ")


def test_a_filesystem_that_hangs_is_said(shell: str, place: Place) -> None:
    place.command("lfs", "exec sleep 30")
    place.answers("quota", QUOTAS.format(used=20000000))
    code, said = place.run(shell, QUOTA, QUOTA_PATIENCE_S="0.2", QUOTA_FOLDERS="/lustre")
    assert (code, said[-1]) == (1, "lfs gives no answer: its filesystem may hang")


def test_nothing_answers(shell: str, place: Place) -> None:
    code, said = place.run(shell, QUOTA, QUOTA_FOLDERS="/nowhere")
    assert (code, said) == (1, ["no quota and no filesystem answered"])


# -- node-sweep


def test_nodes(shell: str, place: Place) -> None:
    place.answers("sinfo", "n7|down*|Not responding\nn3|drain|bad | GPU\nn7|down*|Not responding")
    code, said = place.run(shell, SWEEP)
    assert (code, said) == (
        0,
        ["n3 drain: bad | GPU", "n7 down*: Not responding", "2 nodes are down or drained"],
    )
    assert place.run(shell, SWEEP)[0] == 0
    place.answers("sinfo", "n3|drain|bad | GPU\nn9|down|\x1b[2Jkernel")
    code, said = place.run(shell, SWEEP)
    assert (code, said[-1]) == (1, "new: n9 is down: ?[2Jkernel")
    assert place.run(shell, SWEEP)[0] == 0  # no news
    place.command("sinfo", "true")
    assert place.run(shell, SWEEP) == (0, ["0 nodes are down or drained"])
    place.answers("sinfo", "n7|down*|again")
    code, said = place.run(shell, SWEEP)
    assert (code, said[-1]) == (1, "new: n7 is down*: again")
    left = sorted(path.name for path in (place.home / "state" / "cron").iterdir())
    assert left == ["node-sweep.known"]


def test_a_scheduler_that_does_not_answer_is_no_news(shell: str, place: Place) -> None:
    place.answers("sinfo", "n7|down*|x")
    place.run(shell, SWEEP)
    place.command("sinfo", "exit 1")
    code, said = place.run(shell, SWEEP)
    assert (code, said) == (3, ["sinfo gave no answer: nothing is known of any node"])
    place.command("sinfo", "exec sleep 30")
    assert place.run(shell, SWEEP, SWEEP_PATIENCE_S="0.2")[0] == 3
    place.answers("sinfo", "n7|down*|x")
    assert place.run(shell, SWEEP)[0] == 0


def test_without_sinfo(shell: str, place: Place) -> None:
    assert place.run(shell, SWEEP) == (0, ["there is no sinfo here: nothing to look at"])


def test_what_sinfo_is_asked(shell: str, place: Place) -> None:
    place.command("sinfo", 'printf "%s " "$@" >"$HOME/asked"')
    place.run(shell, SWEEP, SWEEP_PARTITION="gpu,prepost")
    asked = (place.home / "asked").read_text()
    assert asked == "-h -N -o %N|%t|%E -t down,drain,fail -p gpu,prepost "


# -- clean-old-output


def old(path: Path, days: float = 40, size: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    then = path.stat().st_mtime - days * DAY
    os.utime(path, (then, then))
    return path


def test_nothing_is_removed_until_it_is_asked_for(shell: str, place: Place) -> None:
    path = old(place.home / "logs" / "a b" / "slurm-1.out")
    assert place.run(shell, CLEAN) == (0, ["no folder is named (CLEAN_FOLDERS): nothing to do"])
    code, said = place.run(shell, CLEAN, CLEAN_FOLDERS=f"{place.home}/logs")
    assert (code, said) == (
        0,
        [
            f"  {path}",
            f"{place.home}/logs: 1 files, 0.0 MB would be removed (CLEAN=1 removes them)",
        ],
    )
    assert path.exists()


def test_what_is_removed_and_what_is_kept(shell: str, place: Place, tmp_path: Path) -> None:
    logs = place.home / "my logs"
    removed = [
        old(logs / "slurm-1.out"),
        old(logs / "deep" / "slurm-2_3.err"),
        old(logs / "slurm-\x1b[2J\n.out"),
    ]
    elsewhere = old(tmp_path / "elsewhere" / "slurm-5.out")
    (logs / "link").symlink_to(elsewhere.parent)
    (logs / "slurm-6.out").symlink_to(elsewhere)
    kept = [
        old(logs / "slurm-7.out", days=29),
        old(logs / "main_log.txt"),
        old(logs / "core.py"),
        elsewhere,
    ]
    folders = f"{logs}:{place.home}/none"
    code, said = place.run(shell, CLEAN, CLEAN_FOLDERS=folders, CLEAN="1")
    assert code == 1  # of a folder that is not there
    assert f"{place.home}/none is left alone: there is no such folder" in said
    assert any(line.startswith(f"{logs}: ") and line.endswith("MB removed") for line in said)
    assert not any("\x1b" in line for line in said)
    assert not any(path.exists() for path in removed)
    assert all(path.exists() for path in kept)
    assert (logs / "slurm-6.out").is_symlink()


WRONG = {
    "the root": ("/", "it is a folder of the whole machine"),
    "a folder of the machine": ("/usr", "it is a folder of the whole machine"),
    "the root in disguise": ("/usr/bin/../..", "it is a folder of the whole machine"),
    "the home": ("HOME", "your home lies in it"),
    "above the home": ("HOME/..", "your home lies in it"),
    "a part of a path": ("logs", "it is not a full path"),
    "a link": ("HOME/link", "it is a link"),
}


@pytest.mark.parametrize(("folder", "why"), WRONG.values(), ids=WRONG.keys())
def test_folders_that_are_left_alone(
    shell: str, place: Place, tmp_path: Path, folder: str, why: str
) -> None:
    path = old(place.home / "slurm-1.out")
    other = old(tmp_path / "other" / "slurm-1.out")
    (place.home / "link").symlink_to(other.parent)
    folder = folder.replace("HOME", str(place.home))
    code, said = place.run(shell, CLEAN, CLEAN_FOLDERS=folder, CLEAN="1")
    assert (code, said) == (1, [f"{folder} is left alone: {why}"])
    assert path.exists()
    assert other.exists()


@pytest.mark.parametrize("days", ["", "0", "-3", "x", "1; rm", "3.5"])
def test_days_that_are_none(shell: str, place: Place, days: str) -> None:
    path = old(place.home / "logs" / "slurm-1.out")
    environment = {"CLEAN_FOLDERS": str(path.parent), "CLEAN": "1", "CLEAN_DAYS": days}
    code, _ = place.run(shell, CLEAN, **environment)
    if days:
        assert (code, path.exists()) == (1, True)
    else:
        assert not path.exists()  # as without one: thirty


@pytest.mark.parametrize("names", ["*", "*.*", "slurm-*.out *"])
def test_names_that_fit_everything_are_refused(shell: str, place: Place, names: str) -> None:
    path = old(place.home / "logs" / "slurm-1.out")
    environment = {"CLEAN_FOLDERS": str(path.parent), "CLEAN": "1", "CLEAN_NAMES": names}
    assert place.run(shell, CLEAN, **environment)[0] == 1
    assert path.exists()
