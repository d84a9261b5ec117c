"""Shares of a report: even, whole, and rows that come back as they were, to the last bit."""

import math
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.app import config, ourselves
from trainwatch.app.reporting import machine, naming, shares
from trainwatch.app.reporting.desk import Desk
from trainwatch.app.reporting.hours import Hours
from trainwatch.app.reporting.reading import How
from trainwatch.app.reporting.task import cpus
from trainwatch.core.errors import (
    AnswerUnreadable,
    LogUnknown,
    StoreUnusable,
    TrainwatchError,
)
from trainwatch.core.facts import configured
from trainwatch.core.model.goodput import Goodput
from trainwatch.core.rows import ReportRow

MB = 1_000_000


@given(st.lists(st.integers(0, 10_000 * MB), max_size=60), st.integers(1, 70))
def test_each_log_is_in_one_share_and_none_is_empty(sizes: list[int], count: int) -> None:
    split = shares.split(sizes, count)
    assert len(split) == min(count, len(sizes))
    assert all(split)
    assert sorted(index for share in split for index in share) == list(range(len(sizes)))


def test_shares_are_even_by_bytes() -> None:
    split = shares.split([900 * MB, 100 * MB, 400 * MB, 400 * MB, 100 * MB, *[MB] * 100], 2)
    loads = [
        sum(900 if i == 0 else 100 if i in (1, 4) else 400 if i < 4 else 1 for i in share)
        for share in split
    ]
    assert abs(loads[0] - loads[1]) <= 100


def test_rows_come_back_as_they_were() -> None:
    rows = [
        ReportRow(log='a\n"b" ü �', model_size_b=13, loss=math.nan, tflops=math.inf, gpus=2**70),
        ReportRow(log="b", step_time_s=0.1 + 0.2, end="crashed", error="null"),
    ]
    back = shares.decode_results(shares.encode_results(rows))
    assert all(isinstance(row, ReportRow) for row in back)
    assert machine.csv(back) == machine.csv(rows)  # type: ignore[arg-type]
    assert machine.json(back) == machine.json(rows)  # type: ignore[arg-type]


def test_hours_and_errors_come_back_as_they_were() -> None:
    told = Goodput(begin=1, end=2.5, lost_gpu_s={"crashed": 7})
    hours = Hours(run="a", gpus=None, told=told, by_scheduler=True)

    class OfAnAdapter(StoreUnusable):
        """None of core/errors.py."""

    results: list[shares.Result] = [hours, LogUnknown("why"), OfAnAdapter("damaged")]
    found, unknown, unusable = shares.decode_results(shares.encode_results(results))
    assert isinstance(found, Hours)
    assert msgspec.json.encode(found) == msgspec.json.encode(hours)
    assert (type(unknown), str(unknown)) == (LogUnknown, "why")
    assert (type(unusable), str(unusable)) == (StoreUnusable, "damaged")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"{}x",
        b"7",
        b'[{"row": {"log": 5}}]',
        b'[{"row": {"nope": 5}}]',
        b"[{}]",
        b"\xff",
        b'[{"error": "os", "text": ""}]',
        b'[{"error": "ExitCode", "text": ""}]',
        b"[7]",
    ],
)
def test_what_is_no_answer(data: bytes) -> None:
    with pytest.raises(AnswerUnreadable):
        shares.decode_results(data)


def test_work_comes_back_as_it_was(tmp_path: Path) -> None:
    text = (
        '[formats.mine]\npattern = "x"\n[[runs]]\nlog = "x"\n[runs.training]\nrampup = [1, 2, 3]\n'
    )
    secret = '[receivers.a]\nkind = "alertmanager"\nurl = "http://secret:9093"\n'
    how = How(
        now=1e9 + 0.1,
        settings=config.parse(text + "[runs.slurm]\njob_name = 'a*'\n" + secret),
        facts=configured({"peak_tflops": 125.0}),
        pattern=naming.pattern("*-{mbs}.out"),
        tokens=3e11,
    )
    names = ["a b", os.fsdecode(b"\xff\n'")]
    work = shares.work_of("rows", names, 5, [5, 6], how, tmp_path, 2)
    data = shares.encode(work)
    back = shares.decode(data)
    assert back == work
    assert b"secret" not in data
    assert [back.share(task) for task in range(2)] == [[names[0]], [names[1]]] or [
        back.share(task) for task in range(2)
    ] == [[names[1]], [names[0]]]
    assert (back.how().pattern, back.how().facts, back.how().now) == (
        how.pattern,
        how.facts,
        how.now,
    )
    assert back.how().settings.runs == how.settings.runs
    assert back.how().utc_offset_s() == how.utc_offset_s()


def test_work_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "work.json").write_text("{}")
    with pytest.raises(AnswerUnreadable, match="not a list of logs"):
        Desk(tmp_path).work()
    with pytest.raises(TrainwatchError, match=r"work\.json: No such file or directory on "):
        Desk(tmp_path / "elsewhere").work()


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    work = shares.work_of("rows", ["a"], 1, [5], How(now=1e9), tmp_path, None)
    with pytest.raises(
        StoreUnusable, match=r"Not a directory\. Name another folder on a filesystem"
    ):
        Desk.made(tmp_path / "file" / "reports" / "x", work)


@pytest.mark.parametrize(("granted", "count"), [("1", 1), ("0", 1), ("junk", None), (None, None)])
def test_a_task_uses_the_cpus_it_was_given(granted: str | None, count: int | None) -> None:
    assert cpus(granted) == (count or len(os.sched_getaffinity(0)))


def test_the_script_is_this_python_and_this_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    script = ourselves.script("trainwatch", ["a b", "$(rm -rf /)"], '"$X"')
    root = Path(__file__).parents[2]
    assert script.startswith("#!/bin/sh\n")
    assert "-P -m trainwatch 'a b' '$(rm -rf /)' \"$X\"\n" in script
    assert f"export PYTHONPATH={root}\n" in script
