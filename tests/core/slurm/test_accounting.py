"""sacct: the same ended attempts from seven versions, in text and in JSON; and what is no answer."""

import pytest
from hypothesis import given

from tests.core.slurm.answering import FIELD, TOKEN, VERSIONS, as_json, json_jobs, lines, unreadable
from tests.core.slurm.noise import LOST, noise
from tests.core.slurm.queues import ODD
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.model.observations import AttemptEnd
from trainwatch.core.slurm import accounting
from trainwatch.core.slurm.accounting import AccountingQuery

T = 1795168800.0
ENDED = (
    AttemptEnd(
        job_id="682842_1",
        array_job_id="682842",
        name="tr11-176B",
        state="TIMEOUT",
        exit_code="0:0",
        nodes=("r1i0n0", "r1i0n1", "r2i3n7"),
        submit=T - 9000,
        start=T,
        end=T + 72011,
        elapsed_s=72011.0,
        time_limit_s=72000.0,
        user="ana",
    ),
    AttemptEnd(
        job_id="682842_2",
        array_job_id="682842",
        name="tr11-176B",
        state="FAILED",
        exit_code="0:53",
        nodes=("r1i0n0",),
        submit=T - 9000,
        start=T + 72100,
        end=T + 72103,
        elapsed_s=3.0,
        time_limit_s=72000.0,
        reason="NonZeroExitCode",
        user="ana",
    ),
    AttemptEnd(
        job_id="700050",
        array_job_id="700050",
        name=ODD,
        state="REQUEUED",
        exit_code="0:0",
        nodes=("r1i0n0",),
        submit=T - 9000,
        start=T,
        end=T + 600,
        elapsed_s=600.0,
        time_limit_s=3600.0,
        user="ana",
    ),
    AttemptEnd(
        job_id="700050",
        array_job_id="700050",
        name=ODD,
        state="CANCELLED",
        exit_code="0:15",
        nodes=("r1i0n1",),
        submit=T + 600,
        start=T + 700,
        end=T + 900,
        elapsed_s=200.0,
        time_limit_s=3600.0,
        user="ana",
    ),
    AttemptEnd(
        job_id="700060",
        array_job_id="700060",
        name="never",
        state="CANCELLED",
        exit_code="0:0",
        submit=T - 100,
        end=T + 50,
        elapsed_s=0.0,
        time_limit_s=3600.0,
        reason="Dependency",
        user="ana",
    ),
    AttemptEnd(
        job_id="700010+1",
        array_job_id="700011",
        name="coupled",
        state="OUT_OF_MEMORY",
        exit_code="0:125",
        nodes=("login1",),
        submit=T - 6000,
        start=T - 5400,
        end=T - 30,
        elapsed_s=5370.0,
        reason="OutOfMemory",
        user="ben",
    ),
)
TEXT = (
    "682842_1|682843|tr11-176B|TIMEOUT|0:0|r1i0n[0-1],r2i3n7|1795159800|1795168800|None|ana|1200|72011"
    "|1795240811",
    "682842_2|682844|tr11-176B|FAILED|0:53|r1i0n0|1795159800|1795240900|NonZeroExitCode|ana|1200|3"
    "|1795240903",
    "700050|700050|ODD|REQUEUED|0:0|r1i0n0|1795159800|1795168800|None|ana|60|600|1795169400",
    "700050|700050|ODD|CANCELLED by 1000|0:15|r1i0n1|1795169400|1795169500|None|ana|60|200|1795169700",
    "700060|700060|never|CANCELLED by 0|0:0|None assigned|1795168700|None|Dependency|ana|60|0|1795168850",
    "700010+1|700011|coupled|OUT_OF_ME+|0:125|login1|1795162800|1795163400|OutOfMemory|ben|UNLIMITED"
    "|5370|1795168770",
    "700070|700070|runs|RUNNING|0:0|login1|1795162800|1795163400|None|ben|90|5500|Unknown",
)
ROWS = [tuple(ODD if field == "ODD" else field for field in line.split("|")) for line in TEXT]
WHOLE = [tuple("OUT_OF_MEMORY" if f == "OUT_OF_ME+" else f for f in row) for row in ROWS]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_attempts_in_every_version(version: str) -> None:
    assert accounting.parse_json(as_json("sacct", version)) == ENDED


def test_text_tells_the_same() -> None:
    found = accounting.read_text(lines(*WHOLE), TOKEN)
    assert found.ended == ENDED
    assert found.left_out == 0


def test_names_forge_no_rows() -> None:
    row = list(WHOLE[0])
    for name in ("a\n700|x", "\n", ":", "a:" + FIELD[2:5], "ü\x1b[2J", ""):
        row[2] = name
        first, second = accounting.parse_text(lines(tuple(row), WHOLE[1]), TOKEN)
        assert (first.name, first.job_id, second) == (name, "682842_1", ENDED[1])


def test_rows_that_are_none_are_left_out_and_counted() -> None:
    odd = ("x", *WHOLE[0][1:])
    found = accounting.read_text(lines(WHOLE[0], odd, WHOLE[1]), TOKEN)
    assert found.ended == ENDED[:2]
    assert found.left_out == 1
    told = accounting.read_json(json_jobs({"job_id": 7, "state": {"current": ["FAILED"]}}, {}, 7))
    assert (told.ended, told.left_out) == (
        (AttemptEnd(job_id="7", array_job_id="7", name="", state="FAILED"),),
        2,
    )


def test_a_task_that_waits_and_an_exit_that_is_not_known() -> None:
    waits = {
        "job_id": 9,
        "array": {"job_id": 8, "task": "2-4", "task_id": {"set": False}},
        "state": {"current": "CANCELLED"},
        "exit_code": None,
    }
    (found,) = accounting.parse_json(json_jobs(waits))
    assert (found.job_id, found.array_job_id, found.exit_code) == ("8_[2-4]", "8", "")


def test_nothing_found_is_no_error() -> None:
    nothing = {"error": "Nothing found", "error_number": 9003, "source": "slurmdb_jobs_get"}
    assert accounting.parse_json(json_jobs(errors=[nothing])) == ()
    with pytest.raises(AnswerUnreadable, match="Nothing found"):
        accounting.parse_json(json_jobs(errors=[nothing, {"error": "and more"}]))
    assert accounting.parse_text(b"", TOKEN) == ()


@pytest.mark.parametrize(("data", "why"), [case for case in LOST if case[0].strip()])
def test_what_is_no_answer(data: bytes, why: str) -> None:
    assert why in unreadable(lambda: accounting.parse_text(data, TOKEN))
    assert why in unreadable(lambda: accounting.parse_json(data))


def test_an_answer_that_is_cut_off_is_none() -> None:
    data = lines(*WHOLE)
    for cut in (1, 5, len(data) // 2, len(data) - 3):
        assert unreadable(lambda cut=cut: accounting.parse_text(data[:-cut], TOKEN))  # type: ignore[misc]


def test_the_command() -> None:
    by_id = AccountingQuery(job_ids=("7", "7_3", "8+1"))
    text = accounting.argv(by_id, as_json=False, separator=TOKEN)
    assert text[:4] == ["sacct", "-X", "-D", "--jobs=7,7_3,8+1"]
    assert text[4:7] == ["-n", "-P", f"--delimiter={FIELD}"]
    assert text[7].startswith("--format=JobID,JobIDRaw,JobName,State")
    recent = AccountingQuery(names=("train",), users=("ana",), since_s=3600.5)
    told = accounting.argv(recent, as_json=True)
    assert told == [
        *(
            "sacct",
            "-X",
            "-D",
            "--name=train",
            "--user=ana",
            "--starttime=now-3600seconds",
            "--json",
        )
    ]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (AccountingQuery(), "since when"),
        (AccountingQuery(names=("train",)), "since when"),
        (AccountingQuery(job_ids=("7;rm",)), "job id"),
        (AccountingQuery(job_ids=("7_[1-3]",)), "job id"),
        (AccountingQuery(names=("a,b",), since_s=9.0), "--name"),
    ],
)
def test_a_query_that_cannot_be_asked(query: AccountingQuery, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        accounting.argv(query, as_json=True)


@given(noise)
def test_any_bytes_are_an_answer_or_unreadable(data: bytes) -> None:
    assert unreadable(lambda: accounting.parse_text(data, TOKEN)).isprintable()
    assert unreadable(lambda: accounting.parse_json(data)).isprintable()
