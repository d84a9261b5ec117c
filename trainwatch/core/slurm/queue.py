"""The queue: what `squeue` is asked, and its answer, text or JSON, as Jobs.

The trap: `squeue` may fail and exit with 0. Text is asked for with its header, which only an answer has.
Ask for text where you can: the JSON of a job is ten times as long or more, and older versions give it of
everybody, whatever was asked.
"""

from collections.abc import Iterable

import msgspec

from trainwatch.core.model.observations import Job
from trainwatch.core.slurm import answers, values
from trainwatch.core.slurm.asking import layout, listed
from trainwatch.core.slurm.values import Each, Figure

# Our fields, and the codes of `squeue -o` for them.
_CODES = {
    "job_id": "%i",
    "array_job_id": "%F",
    "name": "%j",
    "state": "%T",
    "reason": "%r",
    "nodes": "%N",
    "time_limit": "%l",
    "start": "%S",
    "end": "%e",
    "submit": "%V",
    "user": "%u",
    "account": "%a",
    "comment": "%k",
    "partition": "%P",
    "dependency": "%E",
    "node_count": "%D",
    "qos": "%q",
}
_FIRST_TITLE = "JOBID"


class QueueQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Whose jobs, and which; an empty field leaves nothing out. No states: all that have not ended."""

    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    states: tuple[str, ...] = ()


class Queue(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of an answer, and how many rows of it could not be read."""

    jobs: tuple[Job, ...]
    left_out: int = 0


def argv(query: QueueQuery, *, as_json: bool, separator: str = "") -> list[str]:
    """The command. Run it with `asking.ENVIRONMENT`; `separator` (text only) as in `asking.field_end`.

    Raises ValueError for a name that such a list cannot hold, and for a separator that is not a token.
    """
    how = ["--json"] if as_json else ["-o", layout(_CODES.values(), separator)]
    return [
        "squeue",
        "-a",
        *listed("--user", query.users),
        *listed("--account", query.accounts),
        *listed("--partition", query.partitions),
        *listed("--states", query.states),
        *how,
    ]


def parse_text(data: bytes, separator: str, utc_offset_s: float | None = None) -> tuple[Job, ...]:
    """The jobs of an answer in text; `utc_offset_s` is for clusters that print stamps in spite of us.

    Raises AnswerUnreadable if it is cut off, has no header, or is something else.
    """
    return read_text(data, separator, utc_offset_s).jobs


def parse_json(data: bytes) -> tuple[Job, ...]:
    """The jobs of an answer in JSON; `chosen` picks those that were asked for.

    Raises AnswerUnreadable if it is cut off, tells of errors, or is something else.
    """
    return read_json(data).jobs


def read_text(data: bytes, separator: str, utc_offset_s: float | None = None) -> Queue:
    """Like `parse_text`, with what was left out."""
    of = _Meanings()

    def make(row: list[str]) -> Job | None:
        return _of_text(row, of, utc_offset_s)

    rows = answers.table(data, separator, len(_CODES), make, title=_FIRST_TITLE)
    return Queue(jobs=rows.found, left_out=rows.left_out)


def read_json(data: bytes) -> Queue:
    """Like `parse_json`, with what was left out."""
    of = _Meanings()
    rows = answers.jobs(data, _Row, lambda row: _of_json(row, of))
    return Queue(jobs=rows.found, left_out=rows.left_out)


def chosen(jobs: Iterable[Job], query: QueueQuery) -> tuple[Job, ...]:
    """The jobs that fit: older versions filter text, but not JSON. What is unknown of a job fits."""
    return tuple(job for job in jobs if _fits(job, query))


def _fits(job: Job, query: QueueQuery) -> bool:
    alive = job.state in query.states if query.states else job.state not in values.ENDED
    asked = ((query.users, job.user), (query.accounts, job.account))
    return (
        alive
        and all(not names or not name or name in names for names, name in asked)
        and _shares(query.partitions, job.partition)
    )


def _shares(names: tuple[str, ...], partition: str) -> bool:
    return not names or not partition or not set(names).isdisjoint(partition.split(","))


class _Meanings:
    """Of one answer."""

    def __init__(self) -> None:
        self.words = Each(values.word)
        self.states = Each[str | tuple[str, ...] | None, str](values.state)
        self.reasons = Each(values.reason)
        self.limits = Each(values.seconds)
        self.counts = Each[Figure, int | None](values.count)
        self.minutes = Each[Figure, float | None](values.minutes)
        self.instants = Each[Figure, float | None](values.instant)
        self.nodes = values.Nodes()


class _Row(msgspec.Struct, gc=False):
    """A job of `squeue --json`, in the words of every version since 21.08."""

    job_id: Figure = None
    array_job_id: Figure = None
    array_task_id: Figure = None
    array_task_string: str | None = None
    het_job_id: Figure = None
    het_job_offset: Figure = None
    name: str | None = None
    job_state: str | tuple[str, ...] | None = None
    state_reason: str | None = None
    state_description: str | None = None
    nodes: str | None = None
    time_limit: Figure = None
    start_time: Figure = None
    end_time: Figure = None
    submit_time: Figure = None
    user_name: str | None = None
    account: str | None = None
    comment: str | None = None
    partition: str | None = None
    dependency: str | None = None
    node_count: Figure = None
    qos: str | None = None


def _of_text(row: list[str], of: _Meanings, utc_offset_s: float | None) -> Job | None:
    (job_id, array_job_id, name, state, reason, places, limit, start, end, submit) = row[:10]
    user, account, comment, partition, dependency, node_count, qos = row[10:]
    if not job_id[:1].isdigit():
        return None
    return Job(
        job_id=job_id,
        array_job_id=job_id if array_job_id == job_id else array_job_id,
        name=name,
        state=of.states[state],
        reason=of.reasons[reason],
        nodes=of.nodes.of(places),
        time_limit_s=of.limits[limit],
        start=values.moment(start, utc_offset_s),
        end=values.moment(end, utc_offset_s),
        submit=values.moment(submit, utc_offset_s),
        user=of.words[user],
        account=of.words[account],
        comment=of.words[comment],
        partition=of.words[partition],
        dependency=of.words[dependency],
        node_count=of.counts[node_count],
        qos=of.words[qos],
    )


def _of_json(row: _Row, of: _Meanings) -> Job | None:
    own = values.count(row.job_id)
    if not own:
        return None
    array = of.counts[row.array_job_id] or 0
    limit_s = of.minutes[row.time_limit]
    return Job(
        job_id=_job_id(row, own, array, of.counts),
        array_job_id=str(array or own),
        name=row.name or "",
        state=of.states[row.job_state],
        reason=of.reasons[row.state_description or row.state_reason or ""],
        nodes=of.nodes.of(row.nodes),
        time_limit_s=limit_s,
        start=of.instants[row.start_time],
        end=None if limit_s is None else of.instants[row.end_time],  # else a year from its start
        submit=of.instants[row.submit_time],
        user=of.words[row.user_name or ""],
        account=of.words[row.account or ""],
        comment=of.words[row.comment or ""],
        partition=of.words[row.partition or ""],
        dependency=of.words[row.dependency or ""],
        node_count=of.counts[row.node_count],
        qos=of.words[row.qos or ""],
    )


def _job_id(row: _Row, own: int, array: int, counts: Each[Figure, int | None]) -> str:
    """As `squeue` prints it."""
    if array and row.array_task_string:
        return f"{array}_[{row.array_task_string}]"
    task = counts[row.array_task_id]
    if array and task is not None:
        return f"{array}_{task}"
    leader = counts[row.het_job_id]
    return f"{leader}+{counts[row.het_job_offset] or 0}" if leader else str(own)
