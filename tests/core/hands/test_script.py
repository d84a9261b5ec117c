"""A user's batch script as it is submitted: what it says itself is kept."""

import pytest

from trainwatch.core.errors import UsageError
from trainwatch.core.hands.script import submission
from trainwatch.core.ours import Ours
from trainwatch.core.slurm.submitting import argv

HEAD = "#!/bin/bash\n"
RUN = Ours(job_name="tr11*")


def given(text: str, exclude: str = "", options: tuple[str, ...] = ()) -> set[str]:
    """The options of sbatch, but for those that are always the same."""
    job = submission(
        HEAD + text, "/home/ada/tr11.slurm", RUN, token="t1", exclude=exclude, options=options
    )
    assert job.script == HEAD + text
    always = {"sbatch", "--parsable", "--open-mode=append", "--dependency=singleton"}
    found = argv(job)
    assert always <= set(found)
    return set(found) - always


PLAIN = {"--job-name=tr11.slurm", "--comment=t1", "--chdir=/home/ada"}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("srun train\n", PLAIN),
        ("#SBATCH\n#SBATCH 'odd\nsrun train\n", PLAIN),
        ("#SBATCH --job-name=tr11-a\n", {"--comment=t1", "--chdir=/home/ada"}),
        ("#SBATCH -J tr11-a # the name\n", {"--comment=t1", "--chdir=/home/ada"}),
        ("#SBATCH -Jtr11-a --chdir /data\n", {"--comment=t1"}),
        ("srun x\n#SBATCH --job-name=too-late\n", PLAIN),
        ('#SBATCH --comment="round 3"\n', PLAIN - {"--comment=t1"} | {"--comment=round 3 t1"}),
        ("#SBATCH --exclude=n[1-2]\n", PLAIN | {"--exclude=n[1-2]"}),
    ],
)
def test_what_the_script_says_is_kept(text: str, options: set[str]) -> None:
    assert given(text) == options


def test_nodes_are_added_to_those_that_are_excluded_already() -> None:
    assert "--exclude=n[1-3]" in given("#SBATCH -x n[1-2]\n", "n3")
    assert "--exclude=n[3,7]" in given("#SBATCH -x n[1-2]\n", "n3", ("--exclude=n7",))


def test_the_users_options_win() -> None:
    found = given("#SBATCH --qos=low\n", options=("--qos=high", "--dependency=afterany:7"))
    assert found == PLAIN | {"--qos=high", "--dependency=afterany:7"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("srun train\n", "is no batch script"),
        ("", "is no batch script"),
        (HEAD + "\0", "is no batch script"),
        (HEAD + "#SBATCH -J other\n", "'other' would not be seen as the run's: job_name = 'tr11"),
    ],
)
def test_what_cannot_be_the_next_job_is_an_error(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        submission(text, "/home/ada/tr11.slurm", RUN, token="t1")
