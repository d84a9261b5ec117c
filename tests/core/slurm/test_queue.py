"""squeue: one queue, as seven versions tell of it in text and JSON, is one value; and what is no answer."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.slurm.answering import (
    FIELD,
    ROW,
    TOKEN,
    VERSIONS,
    as_json,
    job_row,
    json_jobs,
    rows,
    unreadable,
)
from tests.core.slurm.noise import LOST, noise
from tests.core.slurm.queues import ARRAY, QUEUE, TEXTS, as_text
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.model.observations import Job
from trainwatch.core.slurm import queue
from trainwatch.core.slurm.queue import QueueQuery


@pytest.mark.parametrize("version", VERSIONS)
def test_one_queue_is_one_value_in_every_version(version: str) -> None:
    text = queue.read_text(as_text(*TEXTS[version]), TOKEN, utc_offset_s=3600.0)
    found = queue.read_json(as_json("squeue", version))
    assert found.jobs == QUEUE
    assert text.jobs == QUEUE
    assert text.left_out == found.left_out == 0


def test_every_answer_is_json_of_its_version() -> None:
    for version in VERSIONS:
        meta = json.loads(as_json("squeue", version))["meta"]
        slurm = meta.get("slurm") or meta["Slurm"]
        assert slurm["release"].startswith(version)


def test_stamps_without_an_offset_are_unknown() -> None:
    first = queue.parse_text(as_text("(null)", stamped=True), TOKEN)[0]
    assert (first.start, first.end, first.submit) == (None, None, None)
    assert first.time_limit_s == 72000.0


def test_a_queue_with_nothing_in_it() -> None:
    assert queue.parse_text(rows(), TOKEN) == ()
    assert queue.parse_json(json_jobs()) == ()


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        "a\nb",
        "\n7",
        " :kQ7vX2mB9: ",
        ":",
        "\x1b[2J\x1b]0;x\x07",
        "ümlaut 模型",
        "%j|%T",
        "",
        "x" * 5000,
    ],
)
def test_a_name_forges_nothing(name: str) -> None:
    data = rows(job_row(NAME=name), job_row(JOBID="8", NAME="after"))
    first, second = queue.parse_text(data, TOKEN)
    assert (first.name, first.state, second.job_id) == (name, "PENDING", "8")
    told = {"job_id": 7, "name": name, "job_state": ["PENDING"]}
    assert queue.parse_json(json_jobs(told))[0].name == name


def test_names_that_are_no_text_are_read_all_the_same() -> None:
    torn = rows(job_row(NAME="here")).replace(b"here", b"\xff\xfe")
    assert queue.parse_text(torn, TOKEN)[0].name == "��"
    assert queue.parse_json(json_jobs({"job_id": 7, "name": "here"}).replace(b"here", b"\xff"))


def test_rows_without_a_header_are_no_answer() -> None:
    with pytest.raises(AnswerUnreadable, match="header"):
        queue.parse_text(rows(job_row(), header=False), TOKEN)
    assert queue.parse_text(b"Welcome to the cluster!\n" + rows(job_row()), TOKEN)


def test_a_row_of_another_shape_is_left_out_and_counted() -> None:
    short, wrong = job_row()[:-1], job_row(JOBID="?")
    found = queue.read_text(rows(short, job_row(), wrong), TOKEN)
    assert [job.job_id for job in found.jobs] == ["7"]
    assert found.left_out == 2
    good, odd = {"job_id": 7, "name": "train"}, {"job_id": 8, "name": {"not": "text"}}
    asked = queue.read_json(json_jobs(odd, good, {"name": "without id"}, 5))
    assert [job.job_id for job in asked.jobs] == ["7"]
    assert asked.left_out == 3


@pytest.mark.parametrize(("data", "why"), LOST)
def test_what_is_no_answer(data: bytes, why: str) -> None:
    with pytest.raises(AnswerUnreadable, match="header" if why == "empty" else why):
        queue.parse_text(data, TOKEN)
    with pytest.raises(AnswerUnreadable, match=why) as caught:
        queue.parse_json(data)
    assert len(str(caught.value)) < 150
    assert str(caught.value).isprintable()


def test_an_answer_that_is_cut_off_is_none() -> None:
    text, told = as_text("", stamped=False), as_json("squeue", "23.11")
    for share in (0.2, 0.5, 0.9):
        with pytest.raises(AnswerUnreadable):
            queue.parse_text(text[: int(len(text) * share)], TOKEN)
        with pytest.raises(AnswerUnreadable):
            queue.parse_json(told[: int(len(told) * share)])
    with pytest.raises(AnswerUnreadable):
        queue.parse_text(text[: -len(ROW) - 1], TOKEN)


ERRORS = [
    (
        [
            {
                "description": "Failed while looking for jobs",
                "error_number": -1,
                "error": "Unspecified error",
                "source": "slurm_load_jobs",
            }
        ],
        "Failed while looking for jobs",
    ),
    ([{"error": "slurm_load_jobs failed", "error_number": 1}], "slurm_load_jobs failed"),
    ([{"description": "Socket timed out", "error": "x", "source": "load"}], "Socket timed out"),
    ([{"error_code": 9001}], "errors"),
    (["words"], "words"),
    ({"error": "no list"}, "no list"),
    ([{"description": "a\x1b[2J\n\nb"}], "a"),
]


@pytest.mark.parametrize(("errors", "why"), ERRORS)
def test_errors_in_json(errors: object, why: str) -> None:
    with pytest.raises(AnswerUnreadable, match=why) as caught:
        queue.parse_json(json_jobs({"job_id": 7}, errors=errors))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "data", [b"{}", b'{"jobs": null}', b"[]", b"7", b'{"jobs": {}}', b'{"a":' * 9999]
)
def test_json_without_jobs(data: bytes) -> None:
    with pytest.raises(AnswerUnreadable):
        queue.parse_json(data)


def test_what_json_tells_of_everybody_is_filtered() -> None:
    done = Job(job_id="1", name="done", state="COMPLETED", user="ana")
    nobody = Job(job_id="2", name="x", state="PENDING")
    every = (*QUEUE, done, nobody)
    assert queue.chosen(every, QueueQuery()) == (*QUEUE, nobody)
    mine = queue.chosen(every, QueueQuery(users=("ben",), partitions=("gpu_p13", "gpu_p2")))
    assert [job.job_id for job in mine] == ["700020", "2"]
    both = queue.chosen(every, QueueQuery(partitions=("gpu_p2",), accounts=("six@v100",)))
    assert [job.job_id for job in both] == ["700000", "2"]
    assert queue.chosen(every, QueueQuery(states=("COMPLETED",))) == (done,)


def test_the_command() -> None:
    query = QueueQuery(users=("ana", "ben", "ana"), partitions=("gpu",), states=("RUNNING",))
    shared = ["squeue", "-a", "--user=ana,ben", "--partition=gpu", "--states=RUNNING"]
    assert queue.argv(query, as_json=True) == [*shared, "--json"]
    *words, layout = queue.argv(query, as_json=False, separator=TOKEN)
    assert words == [*shared, "-o"]
    assert layout.startswith(f"%i{FIELD}%F{FIELD}%j{FIELD}%T")
    assert layout.endswith(f"%q{ROW}")


@pytest.mark.parametrize(
    "separator", ["", "short", "with blank", "a%jbbbbbbbb", "x" * 65, "a:bbbbbbbb"]
)
def test_a_separator_is_a_token(separator: str) -> None:
    with pytest.raises(ValueError, match="token"):
        queue.argv(QueueQuery(), as_json=False, separator=separator)
    with pytest.raises(ValueError, match="token"):
        queue.parse_text(b"", separator)


@pytest.mark.parametrize("name", ["", "a,b", "a b", "a\n", "\x00", "x" * 300])
def test_a_name_that_a_list_cannot_hold(name: str) -> None:
    with pytest.raises(ValueError, match="--user"):
        queue.argv(QueueQuery(users=(name,)), as_json=True)


@given(noise)
def test_any_bytes_are_an_answer_or_unreadable(data: bytes) -> None:
    assert unreadable(lambda: queue.parse_text(data, TOKEN)).isprintable()
    assert unreadable(lambda: queue.parse_json(data)).isprintable()


values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.fixed_dictionaries({}, optional={"set": inner, "infinite": inner, "number": inner}),
    ),
    max_leaves=4,
)
KEYS = (
    "job_id",
    "array_job_id",
    "array_task_id",
    "name",
    "job_state",
    "nodes",
    "time_limit",
    "end_time",
)


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), values), max_size=3))
def test_any_values_of_the_keys_that_are_read(told: list[dict[str, object]]) -> None:
    data = json_jobs(*told)
    if not unreadable(lambda: queue.read_json(data)):  # NaN and the like are no JSON
        found = queue.read_json(data)
        assert len(found.jobs) + found.left_out == len(told)


def test_recordings_from_before_are_read() -> None:
    before = (
        b'{"job_id": "7", "name": "train", "state": "PENDING", "reason": "Priority", "start": 1.5}'
    )
    found = msgspec.json.decode(before, type=Job)
    assert found == Job(job_id="7", name="train", state="PENDING", reason="Priority", start=1.5)
    assert msgspec.json.decode(msgspec.json.encode(ARRAY), type=Job) == ARRAY
