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
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.model.observations import Job
from trainwatch.core.slurm import queue
from trainwatch.core.slurm.queue import QueueQuery

T = 1795168800.0
ODD = 'a|b  c\n9:x;<y>\x1b[31m "é"'
ARRAY = Job(
    job_id="682842_1",
    array_job_id="682842",
    name="tr11-176B",
    state="RUNNING",
    nodes=("r1i0n0", "r1i0n1", "r2i3n7"),
    time_limit_s=72000.0,
    start=T,
    end=T + 72000,
    submit=T - 9000,
    user="ana",
    account="six@v100",
    partition="gpu_p13",
    node_count=3,
    qos="qos_gpu-t3",
)
QUEUE = (
    ARRAY,
    Job(
        job_id="682842_[2-10%1]",
        array_job_id="682842",
        name="tr11-176B",
        state="PENDING",
        reason="JobArrayTaskLimit",
        time_limit_s=72000.0,
        submit=T - 9000,
        user="ana",
        account="six@v100",
        partition="gpu_p13",
        node_count=3,
        qos="qos_gpu-t3",
    ),
    Job(
        job_id="700000",
        array_job_id="700000",
        name=ODD,
        state="PENDING",
        reason="JobHeldUser",
        time_limit_s=3600.0,
        submit=T - 600,
        user="ana",
        account="six@v100",
        comment="trainwatch a1|b",
        partition="gpu_p13,gpu_p2",
        dependency="afterany:682842_*(unfulfilled)",
        node_count=1,
        qos="normal",
    ),
    Job(
        job_id="700010+1",
        array_job_id="700011",
        name="coupled",
        state="COMPLETING",
        nodes=("login1",),
        time_limit_s=5400.0,
        start=T - 5400,
        end=T - 30,
        submit=T - 6000,
        user="ben",
        account="six@cpu",
        partition="prepost",
        node_count=1,
        qos="normal",
    ),
    Job(
        job_id="700020",
        array_job_id="700020",
        name="evaluate",
        state="REQUEUE_HOLD",
        reason="launch failed requeued held",
        time_limit_s=36000.0,
        submit=T - 7000,
        user="ben",
        account="six@v100",
        partition="gpu_p13",
        node_count=2,
        qos="normal",
    ),
    Job(
        job_id="700030",
        array_job_id="700030",
        name="service",
        state="RUNNING",
        nodes=("login1",),
        start=T - 86400,
        submit=T - 86460,
        user="ana",
        account="six@cpu",
        partition="prepost",
        node_count=1,
        qos="normal",
    ),
    Job(
        job_id="700040",
        array_job_id="700040",
        name="next",
        state="PENDING",
        reason="ReqNodeNotAvail, UnavailableNodes:r1i0n0",
        time_limit_s=72000.0,
        start=T + 7200,
        end=T + 79200,
        submit=T - 100,
        user="ana",
        account="six@v100",
        partition="gpu_p13",
        dependency="singleton(unfulfilled)",
        node_count=3,
        qos="qos_gpu-t3",
    ),
)

# As squeue prints them with our SLURM_TIME_FORMAT; `None` is the text of what is not there.
EPOCHS = (
    "682842_1|682842|tr11-176B|RUNNING|None|r1i0n[0-1],r2i3n7|20:00:00|1795168800|1795240800|1795159800"
    "|ana|six@v100|*|gpu_p13|*|3|qos_gpu-t3",
    "682842_[2-10%1]|682842|tr11-176B|PENDING|JobArrayTaskLimit||20:00:00|N/A|N/A|1795159800"
    "|ana|six@v100|*|gpu_p13|*|3|qos_gpu-t3",
    "700000|700000|ODD|PENDING|JobHeldUser||1:00:00|N/A|N/A|1795168200"
    "|ana|six@v100|COMMENT|gpu_p13,gpu_p2|afterany:682842_*(unfulfilled)|1|normal",
    "700010+1|700011|coupled|COMPLETING|None|login1|1:30:00|1795163400|1795168770|1795162800"
    "|ben|six@cpu|*|prepost|*|1|normal",
    "700020|700020|evaluate|REQUEUE_HOLD|launch failed requeued held||10:00:00|N/A|N/A|1795161800"
    "|ben|six@v100|*|gpu_p13|*|2|normal",
    "700030|700030|service|RUNNING|None|login1|UNLIMITED|1795082400|NONE|1795082340"
    "|ana|six@cpu|*|prepost|*|1|normal",
    "700040|700040|next|PENDING|ReqNodeNotAvail, UnavailableNodes:r1i0n0||20:00:00|1795176000"
    "|1795248000|1795168700|ana|six@v100|*|gpu_p13|singleton(unfulfilled)|3|qos_gpu-t3",
)
# The same of a cluster that prints stamps all the same, an hour east of UTC.
STAMPS = {
    "1795168800": "2026-11-20T11:00:00",
    "1795240800": "2026-11-21T07:00:00",
    "1795159800": "2026-11-20T08:30:00",
    "1795168200": "2026-11-20T10:50:00",
    "1795163400": "2026-11-20T09:30:00",
    "1795168770": "2026-11-20T10:59:30",
    "1795162800": "2026-11-20T09:20:00",
    "1795161800": "2026-11-20T09:03:20",
    "1795082400": "2026-11-19T11:00:00",
    "1795082340": "2026-11-19T10:59:00",
    "1795176000": "2026-11-20T13:00:00",
    "1795248000": "2026-11-21T09:00:00",
    "1795168700": "2026-11-20T10:58:20",
}
# (what of it differs: the word for nothing, whether moments are stamps)
TEXTS = {
    "21.08": ("(null)", True),
    "22.05": ("(null)", False),
    "23.02": ("(null)", False),
    "23.11": ("(null)", False),
    "24.05": ("", False),
    "24.11": ("", False),
    "25.05": ("N/A", False),
}


def as_text(nothing: str, stamped: bool) -> bytes:
    table = []
    for line in EPOCHS:
        row = [nothing if field == "*" else field for field in line.split("|")]
        if stamped:
            row = [STAMPS.get(field, field) for field in row]
        special = {"ODD": ODD, "COMMENT": "trainwatch a1|b"}
        table.append(tuple(special.get(field, field) for field in row))
    return rows(*table)


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


LOST = [
    (b"", "empty"),
    (b"  \n", "empty"),
    (b"<html><body>502 Bad Gateway</body></html>", "502 Bad Gateway"),
    (b"slurm_load_jobs error: Unable to contact slurm controller\n", "Unable to contact"),
    (b"\x00\xff\x1b[2J", "not an answer"),
]


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


pieces = st.sampled_from(
    [
        FIELD.encode(),
        ROW.encode(),
        b"\n",
        b"JOBID",
        b"7",
        b"{",
        b'"jobs":',
        b"[",
        b"]",
        b"}",
        b"\xff",
    ]
)
noise = st.one_of(st.binary(max_size=200), st.lists(pieces, max_size=60).map(b"".join))


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
