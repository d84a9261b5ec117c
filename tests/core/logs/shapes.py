"""Logs of sixty iterations in every shape that lines come in, and how many of them are read."""

from tests.core.logs.making import iteration, log, stamped

NUMBERS = range(1, 61)


def ramped(number: int) -> int:
    return 16 + 16 * (number // 10)


def at(number: int, *, of: range, otherwise: str, then: str) -> str:
    return then if number in of else otherwise


def beside(number: int, said: str) -> list[str]:
    """An iteration with what DeepSpeed's engine says of it before Megatron does."""
    head = f"[2021-12-01 10:00:{number % 60:02d},123] [INFO]"
    return [said.format(n=number, head=head), iteration(number)]


STEPS = "[default0]:steps: {n} loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805"
STEP = (
    "{head} [logging.py:69:log_dist] [Rank 0] step={n}, skipped=17, lr=[5e-05], mom=[(0.9, 0.999)]"
)
TIMER = "{head} [timer.py:157:stop] 0/{n}, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4"

# name -> (the log, how many of its 60 iterations are read)
LOGS: dict[str, tuple[bytes, int]] = {
    "plain": (log(iteration(n) for n in NUMBERS), 60),
    **{
        f"DeepSpeed's {name} beside": (log(x for n in NUMBERS for x in beside(n, said)), 120)
        for name, said in (("steps", STEPS), ("step", STEP), ("timer", TIMER))
    },
    "DeepSpeed's steps behind": (
        log(x for n in NUMBERS for x in reversed(beside(n, STEPS))),
        120,
    ),
    "DeepSpeed's steps lag": (log(x for n in NUMBERS for x in beside(max(1, n - 2), STEPS)), 120),
    "DeepSpeed's steps now and then": (
        log(x for n in NUMBERS for x in beside(n, STEPS)[n % 3 > 0 :]),
        80,
    ),
    "without samples": (log(iteration(n, batch=None) for n in NUMBERS), 60),
    "prefix": (log(iteration(n, prefix="[default7]: ") for n in NUMBERS), 60),
    "prefix without a blank": (log(iteration(n, prefix="[default7]:") for n in NUMBERS), 60),
    "task": (log(iteration(n, prefix="230: ") for n in NUMBERS), 60),
    "two ranks": (log(iteration(n, prefix=f"[default{n % 2}]: ") for n in NUMBERS), 60),
    "colours": (log(iteration(n, prefix="\x1b[32m ", end="\x1b[0m") for n in NUMBERS), 60),
    "stamps": (log(iteration(n, prefix=stamped(n)) for n in NUMBERS), 60),
    "coarse stamps": (
        log(iteration(n, prefix=stamped(n, step_s=1.0)[:21] + "] ") for n in NUMBERS),
        60,
    ),
    "stamps past midnight": (
        log(iteration(n, prefix=stamped(n, "2024-02-29 23:59:50")) for n in NUMBERS),
        60,
    ),
    "a stamp that is none": (
        log(
            iteration(n, prefix=at(n, of=range(20, 23), otherwise=stamped(n), then=bad))
            for bad in (" [2024-08-01 09:44:75] ", " [2024-13-01 09:44:55.000001] ")
            for n in NUMBERS
        ),
        120,
    ),
    "two stamps": (
        log(iteration(n, prefix="2024-08-01 09:44:55" + stamped(n)) for n in NUMBERS),
        60,
    ),
    "another kind of stamp": (
        log(iteration(n, prefix=f"[01/17/2024 13:47:{n % 60:02d}] ") for n in NUMBERS),
        60,
    ),
    "a stamp without a year": (
        log(iteration(n, prefix=f"01/17 13:47:{n % 60:02d} ") for n in NUMBERS),
        60,
    ),
    "ramp-up": (log(iteration(n, batch=ramped(n)) for n in NUMBERS), 60),
    "skipped": (
        log(iteration(n, skipped=1, loss=None) if n % 7 == 0 else iteration(n) for n in NUMBERS),
        60,
    ),
    "skipped at first": (
        log(iteration(n, skipped=1, loss=None) if n < 20 else iteration(n) for n in NUMBERS),
        60,
    ),
    "NaN left out": (
        log(iteration(n, loss=None if n > 40 else "1.0E+00") for n in NUMBERS),
        60,
    ),
    "NaN printed": (log(iteration(n, loss="nan" if n > 40 else "1.0E+00") for n in NUMBERS), 60),
    "inf": (log(iteration(n, grad_norm="inf" if n > 40 else "1.0") for n in NUMBERS), 60),
    "placeholder loss": (
        log(iteration(n, loss="-1.00000" if n % 9 == 0 else "1.0E+00") for n in NUMBERS),
        60,
    ),
    "unmeasured norm": (
        log(iteration(n, grad_norm="0.000" if n % 2 else "1.5") for n in NUMBERS),
        60,
    ),
    "negative step time": (
        log(iteration(n, step_ms=-12710.0 if n % 9 == 0 else 250.0) for n in NUMBERS),
        60,
    ),
    "labels with digits": (
        log(iteration(n, more=f" mtp_1 loss: {n}.5 | mtp_2 loss: 2.5 ") for n in NUMBERS),
        60,
    ),
    "labels with signs": (
        log(iteration(n, more=f" lm-loss-E: {n}.5 | a/b.c: 2.5 | E2E: 1 ") for n in NUMBERS),
        60,
    ),
    "lm-loss": (
        log(iteration(n).replace("lm loss:", "lm-loss:") for n in NUMBERS),
        60,
    ),
    "seconds": (log(iteration(n).replace("(ms): 263.6", "(s): 105.22") for n in NUMBERS), 60),
    "a label twice": (log(iteration(n, more=" lm loss: 3.5 ") for n in NUMBERS), 60),
    "now and average": (
        log(iteration(n).replace("263.6", "263.6/250.1") for n in NUMBERS),
        60,
    ),
    "average behind": (
        log(iteration(n).replace("263.6", "263.6 (avg 250.1)") for n in NUMBERS),
        60,
    ),
    "thousands": (log(iteration(n).replace("263.6", "1,263.6") for n in NUMBERS), 60),
    "fields come and go": (
        log(iteration(n, more=" num zeros: 12.0 " if n % 3 else "") for n in NUMBERS),
        60,
    ),
    "a field is renamed": (
        log(iteration(n).replace("lm loss", "loss" if n > 30 else "lm loss") for n in NUMBERS),
        60,
    ),
    "a new target": (log(iteration(n, target=1000 if n < 30 else 2000) for n in NUMBERS), 60),
    "backwards": (log(iteration(n) for n in (*range(1, 31), *range(11, 41))), 60),
    "repeated": (log(iteration(n) for n in NUMBERS for _ in range(2)), 120),
    "cut off": (
        log(iteration(n)[:150] if n % 10 == 0 else iteration(n) for n in NUMBERS),
        54,
    ),
    "cut off without a line end": (
        log([*(iteration(n) for n in NUMBERS), iteration(61)[:200]])[:-1],
        60,
    ),
    "two on a line": (
        log(iteration(n) + iteration(n + 1) for n in range(1, 61, 2)),
        60,
    ),
    "interleaved": (
        log(
            line
            for n in range(1, 61, 2)
            for line in (iteration(n)[:90] + iteration(n + 1), iteration(n)[90:])
        ),
        30,
    ),
    "noise between": (
        log(
            line
            for n in NUMBERS
            for line in (iteration(n), "time (ms) | forward: 12.5 | backward: 1", "NCCL INFO x")
        ),
        60,
    ),
    "other records between": (
        log(
            line
            for n in NUMBERS
            for line in (
                iteration(n),
                *(["saving checkpoint at iteration 5 to /x"] if n % 9 == 0 else []),
            )
        ),
        60,
    ),
    "carriage returns": (log(iteration(n, end="\r") for n in NUMBERS), 60),
    "blanks behind": (log(iteration(n, end="   ") for n in NUMBERS), 60),
    "words behind": (log(iteration(n, end=" time (ms)") for n in NUMBERS), 60),
    "a number behind": (
        log(iteration(n, end=" 5" if n % 7 == 0 else "") for n in NUMBERS),
        60,
    ),
    "a number behind each": (log(iteration(n, end=" 5") for n in NUMBERS), 60),
    "a number before": (
        log(iteration(n, prefix="12 " if n % 7 == 0 else " ") for n in NUMBERS),
        60,
    ),
    "a number right behind a prefix": (
        log(
            iteration(n, prefix="[default7]: 12 " if n % 7 == 0 else "[default7]: ")
            for n in NUMBERS
        ),
        60,
    ),
    "a number before each": (log(iteration(n, prefix=f"{n} ") for n in NUMBERS), 60),
    "a torn number": (
        log(
            iteration(n).replace(" lm loss: 8.18", " lm loss: 8.1 8")
            if n % 7 == 0
            else iteration(n)
            for n in NUMBERS
        ),
        52,
    ),
    "no number": (
        log(
            iteration(n).replace("8.184724E+00", "") if n % 7 == 0 else iteration(n)
            for n in NUMBERS
        ),
        52,
    ),
    "an iteration with a point": (
        log(iteration(n).replace("/", ".5/", 1) if n % 7 == 0 else iteration(n) for n in NUMBERS),
        52,
    ),
    "an iteration with an exponent": (
        log(iteration(n).replace("/", "E1/", 1) if n % 7 == 0 else iteration(n) for n in NUMBERS),
        52,
    ),
    "a negative iteration": (
        log(
            iteration(n).replace(f" {n}/", f"-{n}/", 1) if n % 7 == 0 else iteration(n)
            for n in NUMBERS
        ),
        52,
    ),
    "too large an iteration": (
        log(iteration(n * 10**16 if n % 7 == 0 else n) for n in NUMBERS),
        52,
    ),
    "zeros before": (
        log(iteration(n).replace(f"{n:8d}/", f"{n:08d}/", 1) for n in NUMBERS),
        60,
    ),
    "large numbers": (log(iteration(n).replace("8.184724E+00", "1.0E+999") for n in NUMBERS), 60),
    "not ASCII": (log(iteration(n, prefix="█ ") for n in NUMBERS), 60),
    "zero bytes": (log(iteration(n, prefix="\0\0 ") for n in NUMBERS), 60),
    "a long prefix": (log(iteration(n, prefix="x" * 300 + " ") for n in NUMBERS), 60),
    "longer than a line may be": (
        log([*(iteration(n) for n in range(1, 31)), "x" * 70_000 + iteration(31), iteration(32)]),
        31,
    ),
    "a needle behind a long line": (
        log(
            [
                *(iteration(n) for n in range(1, 31)),
                iteration(31, end="x" * 70_000 + "elapsed time per iteration"),
                iteration(32),
            ]
        ),
        32,
    ),
    "empty": (b"", 0),
    "only line ends": (b"\n" * 100, 0),
    "no needle": (b"words\n" * 100, 0),
}
