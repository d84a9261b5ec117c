"""What a queue of 50,000 jobs costs to read: text as `squeue -o` prints it, and JSON.

The trap: who makes the answer has held it; so another process reads it from a file, and is measured.
The JSON here is kept short: a cluster's is several times as long, which is why text is asked for first.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Claim, environment, held_mb
from trainwatch.core.slurm import queue
from trainwatch.core.slurm.asking import field_end, row_end

JOBS = 50_000
RUNS = 2
_TIMES = 4  # this machine may be stopped at any moment: the quietest tells what it costs
_MOST_S, _MOST_MB = 1.0, 150.0
_TOKEN = "Zk3Vq81mXc"
_START = 1_795_168_800
_SKIPPED = 12  # keys of a JSON job beside those that we read


def claims() -> Iterator[Claim]:
    """Both answers: CPU time and peak memory of a process that holds the answer and its jobs."""
    for form, make in (("text", _text), ("json", _json)):
        with tempfile.TemporaryDirectory() as folder:
            (answer := Path(folder) / "answer").write_bytes(make())
            size_mb = answer.stat().st_size / 2**20
            command = [sys.executable, "-m", "benchmarks.queue", form, str(answer)]
            runs = [
                subprocess.check_output(command, env=environment(), text=True) for _ in range(RUNS)
            ]
        took_s, peak_mb, count = min(tuple(map(float, run.split())) for run in runs)
        assert count == JOBS
        yield Claim(
            f"{JOBS:,} jobs of a queue in {form} ({size_mb:.0f} MB)",
            f"{took_s:.2f} s of CPU, peak {peak_mb:.0f} MB",
            f"under {_MOST_S:g} s and {_MOST_MB:g} MB",
            took_s < _MOST_S and peak_mb < _MOST_MB,
        )


def read(form: str, path: Path) -> str:
    """Seconds of CPU, the peak of this process in MB, and the jobs that were found."""
    data = path.read_bytes()
    parse: Callable[[bytes], queue.Queue] = {"text": _read_text, "json": queue.read_json}[form]
    times, count = list[float](), 0
    for _ in range(_TIMES):
        began = time.process_time()
        count = len(parse(data).jobs)
        times.append(time.process_time() - began)
    return f"{min(times)} {held_mb()} {count}"


def _read_text(data: bytes) -> queue.Queue:
    return queue.read_text(data, _TOKEN)


def _text() -> bytes:
    within, behind = field_end(_TOKEN), row_end(_TOKEN)
    titles = ["JOBID", *["TITLE"] * 16]
    return "".join(
        within.join(map(str, row)) + behind + "\n" for row in (titles, *map(_row, range(JOBS)))
    ).encode()


def _row(n: int) -> tuple[object, ...]:
    """A job of one of 300 users; two of three wait."""
    runs, own = n % 3 == 0, 700_000 + n
    state, reason = ("RUNNING", "None") if runs else ("PENDING", "Priority")
    nodes = f"r{n % 40}i{n % 7}n[{n % 30}-{n % 30 + 3}]" if runs else ""
    times = (_START + n, _START + n + 72_000) if runs else ("N/A", "N/A")
    return (
        *(own, own, f"train-{n}", state, reason, nodes, "20:00:00", *times, _START - n),
        *(f"user{n % 300}", f"account{n % 50}", "(null)", "gpu", "(null)", 4, "normal"),
    )


def _json() -> bytes:
    rows = ",".join(json.dumps(_job(n), separators=(",", ":")) for n in range(JOBS))
    return f'{{"jobs":[{rows}],"meta":{{}},"errors":[]}}'.encode()


def _job(n: int) -> dict[str, object]:
    own, _, name, state, reason, nodes, _, *times, submit, user, account = _row(n)[:12]
    start, end = (_set(moment if isinstance(moment, int) else 0) for moment in times)
    return {
        **{f"key_that_is_not_read_{key}": "some words" for key in range(_SKIPPED)},
        "job_id": own,
        "array_job_id": _set(0),
        "name": name,
        "job_state": [state],
        "state_reason": reason,
        "nodes": nodes,
        "time_limit": _set(1200),
        "start_time": start,
        "end_time": end,
        "submit_time": _set(submit),
        "user_name": user,
        "account": account,
        "partition": "gpu",
        "node_count": _set(4),
        "qos": "normal",
        "comment": "",
    }


def _set(number: object) -> dict[str, object]:
    return {"set": True, "infinite": False, "number": number}


if __name__ == "__main__":
    print(read(sys.argv[1], Path(sys.argv[2])))
