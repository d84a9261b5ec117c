"""Our lines in a user's scrontab, and everybody else's left as they are."""

import pytest

from trainwatch.core.slurm.scrontab import changed, entry, schedule
from trainwatch.core.slurm.submitting import Submission

NAME = "trainwatch-00c0ffee"
JOB = Submission(
    script="", name=NAME, partition="prepost", output="/state/my runs/%a.out", time_limit_s=1800.0
)
THEIRS = "#SCRON --partition=cpu\n0 3 * * * ~/backup.sh\n"


@pytest.mark.parametrize(
    ("minutes", "fields"),
    [
        (1, "*/1 * * * *"),
        (10, "*/10 * * * *"),
        (60, "0 */1 * * *"),
        (120, "0 */2 * * *"),
        (1440, "0 0 * * *"),
        (7, None),
        (90, None),
        (300, None),
        (0.5, None),
    ],
)
def test_schedule(minutes: float, fields: str | None) -> None:
    assert schedule(minutes) == fields


def test_entry_is_the_job_without_what_only_sbatch_takes() -> None:
    lines = entry(NAME, JOB, ["/env/bin/python", "-m", "trainwatch", "cron", "tick"], 10)
    assert lines is not None
    assert lines.splitlines() == [
        f"# >>> {NAME} >>>",
        "#SCRON --open-mode=append",
        f"#SCRON --job-name={NAME}",
        "#SCRON '--output=/state/my runs/%a.out'",
        "#SCRON --partition=prepost",
        "#SCRON --time=30",
        "*/10 * * * * /env/bin/python -m trainwatch cron tick",
        f"# <<< {NAME} <<<",
    ]


@pytest.mark.parametrize("hostile", ["100%", "a\nb"])
def test_what_cron_would_read_as_its_own_is_refused(hostile: str) -> None:
    assert entry(NAME, JOB, ["trainwatch", hostile], 10) is None


def test_the_table_of_others_stays_as_it_was() -> None:
    ours = entry(NAME, JOB, ["trainwatch", "cron", "tick"], 10)
    once = changed(THEIRS, NAME, ours)
    assert once.startswith(THEIRS)
    assert changed(once, NAME, ours) == once
    assert changed(once, NAME, None) == THEIRS
    assert changed("", NAME, None) == ""


def test_a_changed_entry_takes_the_place_of_the_one_before_and_no_other_chain_is_touched() -> None:
    other = entry("trainwatch-0ther", JOB, ["other"], 60)
    table = changed(changed("", "trainwatch-0ther", other), NAME, entry(NAME, JOB, ["a"], 10))
    after = changed(table, NAME, entry(NAME, JOB, ["b"], 20))
    assert other is not None
    assert other in after
    assert "*/20 * * * * b" in after
    assert "*/10" not in after
