"""What became of jobs: what `sacct` is asked, and its answer, text or JSON, as AttemptEnds.

The trap: accounting lags and may be off. That it says nothing of a job says nothing.
"""

import msgspec

from trainwatch.core.model.observations import AttemptEnd
from trainwatch.core.patterns import pattern
from trainwatch.core.slurm import answers, values
from trainwatch.core.slurm.asking import field_end, listed
from trainwatch.core.slurm.values import Figure

# The first and the last hold no line ends, see `answers.lines`.
_FIELDS = (
    "JobID",
    "JobIDRaw",
    "JobName",
    "State",
    "ExitCode",
    "NodeList",
    "Submit",
    "Start",
    "Reason",
    "User",
    "TimelimitRaw",
    "ElapsedRaw",
    "End",
)
_JOB_ID = pattern(r"[0-9]+(?:_(?:[0-9]+|\[[^\]]*\])|\+[0-9]+)?")
_PIECE = pattern(r"[0-9]+(?:[_+][0-9]+)?")


class AccountingQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs: by id, or by name and user within the last `since_s` seconds."""

    job_ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    since_s: float | None = None


class Accounting(msgspec.Struct, frozen=True, kw_only=True):
    """The attempts of an answer that ended, and how many rows of it could not be read."""

    ended: tuple[AttemptEnd, ...]
    left_out: int = 0


def argv(query: AccountingQuery, *, as_json: bool, separator: str = "") -> list[str]:
    """The command: allocations without steps, and of a requeued job every attempt.

    Run it with `asking.ENVIRONMENT`; `separator` (text only) as in `asking.field_end`.
    Raises ValueError for a name or id that a list cannot hold, for a query of everything, and for a separator
    that is not a token.
    """
    if not query.job_ids and query.since_s is None:
        raise ValueError("name jobs by their ids, or say since when")
    if any(_PIECE.fullmatch(job_id) is None for job_id in query.job_ids):
        raise ValueError("a job id is a number, or one of a task: 7, 7_3, 7+1")
    since = (
        [] if query.since_s is None else [f"--starttime=now-{max(1, int(query.since_s))}seconds"]
    )
    text = ["-n", "-P", f"--delimiter={field_end(separator)}"] if not as_json else []
    return [
        "sacct",
        "-X",
        "-D",
        *listed("--jobs", query.job_ids),
        *listed("--name", query.names),
        *listed("--user", query.users),
        *since,
        *text,
        *(["--json"] if as_json else [f"--format={','.join(_FIELDS)}"]),
    ]


def parse_text(
    data: bytes, separator: str, utc_offset_s: float | None = None
) -> tuple[AttemptEnd, ...]:
    """The attempts that ended; `utc_offset_s` is for clusters that print stamps in spite of us.

    Raises AnswerUnreadable if the answer is cut off or is something else.
    """
    return read_text(data, separator, utc_offset_s).ended


def parse_json(data: bytes) -> tuple[AttemptEnd, ...]:
    """The attempts that ended, of an answer in JSON.

    Raises AnswerUnreadable if it is cut off, tells of errors, or is something else.
    """
    return read_json(data).ended


def read_text(data: bytes, separator: str, utc_offset_s: float | None = None) -> Accounting:
    """Like `parse_text`, with what was left out."""
    nodes = values.Nodes()

    def make(row: list[str]) -> AttemptEnd | None:
        return _of_text(row, nodes, utc_offset_s)

    rows = answers.lines(data, separator, len(_FIELDS), make)
    return Accounting(ended=_ended(rows.found), left_out=rows.left_out)


def read_json(data: bytes) -> Accounting:
    """Like `parse_json`, with what was left out."""
    nodes = values.Nodes()
    rows = answers.jobs(data, _Row, lambda row: _of_json(row, nodes))
    return Accounting(ended=_ended(rows.found), left_out=rows.left_out)


def _ended(attempts: tuple[AttemptEnd, ...]) -> tuple[AttemptEnd, ...]:
    """Those that are over: of a requeued job the attempts before, too."""
    return tuple(
        one
        for one in attempts
        if one.state in values.ENDED or (one.state == "REQUEUED" and one.end is not None)
    )


def _of_text(row: list[str], nodes: values.Nodes, utc_offset_s: float | None) -> AttemptEnd | None:
    job_id, own, name, state, exit_code, places, submit, start, reason, user, limit, took, end = row
    if _JOB_ID.fullmatch(job_id) is None:
        return None
    return AttemptEnd(
        job_id=job_id,
        array_job_id=job_id.partition("_")[0] if "_" in job_id else own,
        name=name,
        state=values.state(state),
        exit_code=values.word(exit_code),
        nodes=nodes.of(places),
        submit=values.moment(submit, utc_offset_s),
        start=values.moment(start, utc_offset_s),
        end=values.moment(end, utc_offset_s),
        reason=values.reason(reason),
        user=values.word(user),
        time_limit_s=values.minutes(limit),
        elapsed_s=values.number(took),
    )


class _Signal(msgspec.Struct, gc=False):
    id: Figure = None
    signal_id: Figure = None  # up to 23.02


class _Exit(msgspec.Struct, gc=False):
    return_code: Figure = None
    signal: _Signal | None = None


class _Array(msgspec.Struct, gc=False):
    job_id: Figure = None
    task_id: Figure = None
    task: str | None = None


class _Het(msgspec.Struct, gc=False):
    job_id: Figure = None
    job_offset: Figure = None


class _State(msgspec.Struct, gc=False):
    current: str | list[str] | None = None
    reason: str | None = None


class _Time(msgspec.Struct, gc=False):
    submission: Figure = None
    start: Figure = None
    end: Figure = None
    elapsed: Figure = None
    limit: Figure = None


class _Row(msgspec.Struct, gc=False):
    """A job of `sacct --json`, in the words of every version since 21.08."""

    job_id: Figure = None
    array: _Array | None = None
    het: _Het | None = None
    name: str | None = None
    state: _State | None = None
    exit_code: _Exit | None = None
    nodes: str | None = None
    time: _Time | None = None
    user: str | None = None


def _of_json(row: _Row, nodes: values.Nodes) -> AttemptEnd | None:
    own = values.count(row.job_id)
    if not own:
        return None
    state, time = row.state or _State(), row.time or _Time()
    array = values.count(row.array.job_id) if row.array else None
    return AttemptEnd(
        job_id=_job_id(row, own),
        array_job_id=str(array or own),
        name=row.name or "",
        state=values.state(state.current),
        exit_code=_exit_code(row.exit_code),
        nodes=nodes.of(row.nodes),
        submit=values.instant(time.submission),
        start=values.instant(time.start),
        end=values.instant(time.end),
        reason=values.reason(state.reason),
        user=values.word(row.user),
        time_limit_s=values.minutes(time.limit),
        elapsed_s=values.number(time.elapsed),
    )


def _exit_code(code: _Exit | None) -> str:
    """As `sacct` prints it: code:signal; empty if unknown."""
    if code is None:
        return ""
    signal = code.signal or _Signal()
    number = values.count(signal.id) or values.count(signal.signal_id) or 0
    return f"{values.count(code.return_code) or 0}:{number}"


def _job_id(row: _Row, own: int) -> str:
    """As `sacct` prints it."""
    array, het = row.array or _Array(), row.het or _Het()
    if leader := values.count(array.job_id):
        task = values.count(array.task_id)
        if task is not None:
            return f"{leader}_{task}"
        if array.task:
            return f"{leader}_[{array.task}]"
    if leader := values.count(het.job_id):
        return f"{leader}+{values.count(het.job_offset) or 0}"
    return str(own)
