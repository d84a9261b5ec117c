"""Whatever the bytes, however they are split, whatever was restarted: no exception, and one answer.

Drawn from what logs really hold (sample lines, Megatron lines of every kind), and from bytes that mean
nothing. To look harder: `HYPOTHESIS=thorough pytest tests/core/test_properties.py`.
"""

import math
from itertools import pairwise
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SHARED_LOGS
from tests.core.folding import NOW, Run, told
from tests.core.logs.making import iteration, stamped
from tests.core.logs.reading import expand, plainly
from tests.core.logs.test_table import LINES
from trainwatch.core.facts import ARGUMENTS, Facts
from trainwatch.core.logs.lines import cut
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.logs.table import FORMATS
from trainwatch.core.model.state import RunState


def _samples() -> list[bytes]:
    """The sample lines where they are, else the lines of the format tables."""
    folder: Path = SHARED_LOGS / "samples"
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return [line for path in files for line in path.read_bytes().splitlines()]


KNOWN = [*_samples(), *(line.encode() for lines in LINES.values() for line in lines)]
NEEDLES = sorted({needle for known in FORMATS for needle in known.needles})

numbers = st.sampled_from(
    [
        b"0",
        b"1",
        b"-1",
        b"7",
        b"1e5",
        b"nan",
        b"inf",
        b"-inf",
        b"1e999",
        b"9" * 30,
        b"0.0",
        b"1,000",
        b"",
    ]
)
counts = st.integers(1, 40)


@st.composite
def megatron_lines(draw: st.DrawFn) -> bytes:
    """Some iterations in a row, which may skip, lose their loss, carry stamps, be cut off."""
    first, length = draw(counts), draw(st.integers(1, 12))
    kind = draw(st.sampled_from([" ", "[default7]:", "3: ", "stamped", "late"]))
    lines = []
    for number in range(first, first + length):
        prefix = {"stamped": stamped(number), "late": stamped(number, "2025-01-01 00:00:00")}.get(
            kind, kind
        )
        skipped = draw(st.integers(0, 9)) == 0
        loss = draw(st.sampled_from(["2.5E+00", "2.5E+00", "2.25E+00", "nan", "-1.00000", None]))
        line = iteration(
            number,
            prefix=prefix,
            skipped=int(skipped),
            loss=None if skipped else loss,
            batch=draw(st.sampled_from([16, 16, 32, None])),
            step_ms=draw(st.sampled_from([250.0, 250.0, -5.0, 0.0])),
        )
        lines.append(line[: draw(st.integers(60, 400))])
    return "\n".join(lines).encode()


@st.composite
def arguments(draw: st.DrawFn) -> bytes:
    """A line of an argument dump, as often as not with a value that makes no sense."""
    key = draw(st.sampled_from(sorted(ARGUMENTS)))
    value = draw(
        st.one_of(numbers, st.sampled_from([b"True", b"None", b"['16', '16', '0']", b"torch.half"]))
    )
    return b"  " + key.encode() + b" ................ " + value


@st.composite
def torn(draw: st.DrawFn) -> bytes:
    """Known lines cut at any byte and glued together."""
    pieces = []
    for _ in range(draw(st.integers(1, 3))):
        line = draw(st.sampled_from(KNOWN))
        begin = draw(st.integers(0, len(line)))
        pieces.append(line[begin : draw(st.integers(begin, len(line)))])
    return b"".join(pieces)


@st.composite
def renumbered(draw: st.DrawFn) -> bytes:
    """A known line whose first numbers are others."""
    line = draw(st.sampled_from(KNOWN))
    for digit in draw(st.lists(st.sampled_from(b"0123456789"), max_size=3)):
        line = line.replace(bytes([digit]), draw(numbers), 1)
    return line


noise = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(NEEDLES).flatmap(lambda needle: st.binary(max_size=20).map(needle.__add__)),
)
lines = st.one_of(
    megatron_lines(),
    megatron_lines(),
    st.sampled_from(KNOWN),
    arguments(),
    torn(),
    renumbered(),
    noise,
)
ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r", b"\r\n", b"\n\n"])
logs = st.lists(st.tuples(lines, ends), max_size=25).map(
    lambda pairs: b"".join(line + end for line, end in pairs)
)


def _chunks(data: bytes, places: list[int]) -> list[bytes]:
    """The data split at the line ends nearest to these places."""
    cuts = {data.rfind(b"\n", 0, place % (len(data) + 1)) + 1 for place in places} | {0, len(data)}
    ordered = sorted(cuts)
    return [data[a:b] for a, b in pairwise(ordered)]


@given(data=logs, places=st.lists(st.integers(0, 10_000), max_size=8), live=st.booleans())
def test_any_split_at_line_ends_gives_the_same(data: bytes, places: list[int], live: bool) -> None:
    split = Run()
    for chunk in _chunks(data, places):
        split.read(chunk, live=live)
    whole = Run()
    if data:
        whole.read(data, live=live)
    assert told(split)[1:] == told(whole)[1:]
    assert _state(split) == _state(whole)


def _state(run: Run) -> bytes:
    """The state, without when the newest chunk was seen: a run that saw no chunk saw nothing."""
    return msgspec.msgpack.Encoder(order="sorted").encode(
        msgspec.structs.replace(run.state, seen_at=None, log="")
    )


@given(data=logs, places=st.lists(st.integers(0, 10_000), max_size=8))
def test_any_split_at_all_gives_the_same(data: bytes, places: list[int]) -> None:
    """A follower that sees the file at any sizes, in the middle of a line or of a character."""
    split, offset, in_long_line = Run(), 0, False
    for size in (*sorted(place % (len(data) + 1) for place in places), len(data)):
        found = cut(data[offset:size], in_long_line, at_end=True)
        if found.lines:
            split.read(found.lines)
        offset, in_long_line = offset + found.used, found.in_long_line
    whole = Run()
    if data[:offset]:
        whole.read(data[:offset])
    assert told(split)[1:] == told(whole)[1:]
    assert _state(split) == _state(whole)


@given(data=logs, live=st.booleans())
def test_columns_and_lines_give_the_same(data: bytes, live: bool) -> None:
    by_line = expand(Scanner(in_columns=False), data)
    assert plainly(expand(Scanner(), data)) == plainly(by_line)
    assert told(Run(data, live=live)) == told(Run(data, live=live, in_columns=False))


@given(data=st.one_of(logs, st.binary(max_size=2000)), now=st.sampled_from([NOW, 0.0, 1e18]))
def test_any_bytes_raise_nothing(data: bytes, now: float) -> None:
    run = Run(data, at=min(now, 1e11))
    msgspec.json.encode(run.status(now))
    kept = msgspec.msgpack.encode(run.state)
    assert msgspec.msgpack.encode(msgspec.msgpack.decode(kept, type=RunState)) == kept
    _sane(run)


def _sane(run: Run) -> None:
    """What must hold of any state."""
    state = run.state
    assert state.rows == run.rows.rows
    closed = sum(attempt.tally.records for attempt in state.attempts)
    assert closed == state.rows
    numbers = run.iterations()
    assert all(0 <= number < 2**53 for number in numbers)
    assert state.high_water == (max(numbers) if numbers else None)
    indices = run.attempts_of_iterations()
    assert indices == sorted(indices)
    for index in set(indices):
        within = [n for n, a in zip(numbers, indices, strict=True) if a == index]
        assert within == sorted(set(within))  # forwards only, each once
    assert [attempt.index for attempt in state.attempts] == list(range(len(state.attempts)))
    assert all(t > 0 and math.isfinite(t) for t in run.column("step_time_s") if t == t)
    times = [t for t in run.column("at_s") if t == t]
    assert all(map(math.isfinite, times))


ends_of_attempts = st.sampled_from(
    [
        b"",
        b"[exiting program after 1190.03 minutes] datetime: 2024-08-01 10:00:00\n",
        b"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-08-01T10:00:00 DUE TO TIME LIMIT ***\n",
        b"ValueError: no\n",
        b"[after training is done] datetime: 2024-08-01 10:00:00\n",
    ]
)
DUMP = b"using world size: 16\n----- arguments -----\n  log_interval ................... 1\n"
attempts = st.lists(
    st.tuples(st.booleans(), st.integers(1, 30), st.integers(1, 12), ends_of_attempts), max_size=6
)


@given(plan=attempts, places=st.lists(st.integers(0, 10_000), max_size=5))
def test_any_order_of_restarts(plan: list[tuple[bool, int, int, bytes]], places: list[int]) -> None:
    """Each attempt begins anywhere, with or without a dump, and ends in any way or none."""
    data, trained, steps_back = b"", list[int](), 0
    for index, (dump, first, length, end) in enumerate(plan):
        data += DUMP if dump else b""
        numbers = range(first, first + length)
        steps_back += bool(trained) and not dump and first < trained[-1]
        trained += numbers
        losses = ((n, f"{index + n / 100:.6E}") for n in numbers)
        data += b"".join(iteration(n, loss=loss).encode() + b"\n" for n, loss in losses)
        data += end
    run = Run()
    for chunk in _chunks(data, places):
        run.read(chunk)
    _sane(run)
    assert told(run)[1:] == told(Run(data))[1:]
    if all(dump for dump, *_ in plan):
        assert run.iterations() == trained
        assert len(run.attempts) == len(plan)
        before: set[int] = set()
        retrained = 0
        for _, first, length, _ in plan:
            high = max(before, default=0)
            retrained += sum(n <= high for n in range(first, first + length))
            before |= set(range(first, first + length))
        assert sum(a.retrained for a in run.status().attempts) == retrained


@given(
    data=st.binary(max_size=300),
    facts=st.dictionaries(st.sampled_from(["gpus", "seq_length"]), st.integers(0, 10**12)),
)
def test_any_line_and_any_configuration_give_a_status(data: bytes, facts: dict[str, int]) -> None:
    run = Run(data)
    configured = msgspec.structs.replace(Facts(), **facts, sources=dict.fromkeys(facts, "config"))
    run.status(NOW, configured)
