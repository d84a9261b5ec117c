"""Large logs for benchmarks: as many bytes as wanted, with a given share of them in iteration lines.

The same lines as a simulated run's, without its waits: one attempt, a start-up, iterations, a save every 500
and an evaluation every 1000 of them; what is left is filled with what other ranks say.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import cycle

from trainwatch.simulate import chatter
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.curves import Curves
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.job import Job
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.timeline import Timeline

REALISTIC, DENSE = 0.07, 0.5  # shares of iteration lines in a log of many ranks, and in a tidy one
SAVE_INTERVAL, EVAL_INTERVAL = 500, 1000
_BLOCK_BYTES = 1024 * 1024
_POOL_BYTES = 2 * _BLOCK_BYTES  # of noise, that gaps are cut from
_NCCL_OF = 16  # noise lines, one is none of NCCL's: as in a log of 12,069 lines of which 11,339 are
_START = 1_740_988_800.0  # 2025-03-03 08:00
_CUT = 31  # stream of chance


def blocks(
    scenario: Scenario, size: int, *, share: float = REALISTIC, seed: int = 0
) -> Iterator[bytes]:
    """A log of exactly `size` bytes, in blocks of about a MB. It ends with a line end."""
    left, parts, held = size, list[bytes](), 0
    for text in _Log(scenario, share, seed).texts():
        if len(text) > left:
            break
        parts.append(text)
        held += len(text)
        left -= len(text)
        if held >= _BLOCK_BYTES:
            yield b"".join(parts)
            parts, held = [], 0
    parts.append(b"." * (left - 1) + b"\n" if left else b"")
    yield b"".join(parts)


class _Log:
    def __init__(self, scenario: Scenario, share: float, seed: int) -> None:
        self.scenario, self.share = scenario, share
        self.flavour, self.chance = FLAVOURS[scenario.flavour], Chance(seed)
        self.job = Job(
            scenario=scenario,
            timeline=Timeline(_START),
            chance=self.chance,
            attempt=0,
            began=0.0,
            first_array_id=682_842,
            target_iteration=scenario.target_iteration,
            flops_per_sample=self.flavour.flops_per_sample(scenario),
        )

    def texts(self) -> Iterator[bytes]:
        """The start-up, then one iteration after another with all that stands around it."""
        yield "".join(text for _, text in self.flavour.startup(self.job)).encode()
        curves, pool = Curves(self.scenario, self.chance), _Pool(self.job, self.flavour.said_by)
        t, samples, said, owed = self.scenario.startup_s, 0, 0, 0.0
        iteration = 0
        while True:
            iteration += 1
            step = curves.step(iteration, samples, 0, t)
            t, samples = t + step.step_time_s, step.samples
            line = self.flavour.iteration(self.job, t, step)
            before, after = (
                self.flavour.before(self.job, t, step),
                self.flavour.after(self.job, t, step),
            )
            text = f"{before}{line}{after}{self._events(curves, iteration, t)}".encode()
            said, owed = said + len(text), owed + len(line) / self.share
            noise = pool.cut(max(0, int(owed - said)), self.chance.uniform(_CUT, iteration))
            said += len(noise)
            yield text + noise

    def _events(self, curves: Curves, iteration: int, t: float) -> str:
        said = ""
        if iteration % EVAL_INTERVAL == 0:
            losses = [
                curves.validation_loss(iteration, index)
                for index in range(self.scenario.validation_sets)
            ]
            said += self.flavour.validations(self.job, t, iteration, losses, self.scenario.eval_s)
        if iteration % SAVE_INTERVAL == 0:
            said += self.flavour.save_began(self.job, t, iteration)
            said += self.flavour.save_done(
                self.job, t + self.scenario.save_s, iteration, self.scenario.save_s
            )
        return said


class _Pool:
    """Noise that was made once; a gap is a piece of it from one line end to another."""

    def __init__(self, job: Job, said_by: str) -> None:
        nccl = cycle(chatter.nccl(job, said_by))
        lines, place, made = list[bytes](), 0, 0
        while made < _POOL_BYTES:
            others = place % _NCCL_OF == 0
            said = chatter.line_of(job, 60.0 * place, place, said_by) if others else next(nccl)
            lines.append(said.encode())
            made, place = made + len(lines[-1]), place + 1
        self._text = b"".join(lines)
        self._ends = [0]
        for line in lines:
            self._ends.append(self._ends[-1] + len(line))

    def cut(self, size: int, luck: float) -> bytes:
        """About so many bytes of whole lines, from a place that luck chooses."""
        whole, size = divmod(size, len(self._text))
        if not size:
            return self._text * whole
        room = len(self._text) - size
        start = bisect_right(self._ends, int(luck * room)) - 1
        stop = bisect_right(self._ends, self._ends[start] + size) - 1
        return self._text * whole + self._text[self._ends[start] : self._ends[stop]]
