"""Evidence of a hang, in one folder: stacks, GPUs, what Slurm says of the job, the last lines of every log.

The trap: all that hangs may hang us, too. Each thing has a deadline of its own, a thread that can be left
behind, and a bound on its bytes; what failed is a line of the index. The script that runs in the job's
allocation is a constant, and pauses no process.
"""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from trainwatch.core.errors import StoreUnusable
from trainwatch.core.patterns import pattern
from trainwatch.core.ports import Scene
from trainwatch.core.redact import redact
from trainwatch.core.slurm.asking import handed_down

MOST_BYTES = 4 * 1024 * 1024  # of one thing
_KEPT = 5  # folders
_LINES, _TAIL_BYTES = 200, 128 * 1024  # of the end of a log
_MOST_LOGS = 1024
_SRUN_S = 120.0  # all nodes; each bounds itself before that
_DYING_S = 5.0  # srun ends its step when it is asked to
_TASK = pattern(r"^JobId=(\d+) ArrayJobId=(\d+) ArrayTaskId=(\d+) ")
_FOLDER = pattern(r"\d{8}T\d{6}Z-[\w.+-]+")

# Runs once on each node of the job, as the job's user. Only processes of this very job are looked at.
# `--nonblocking`: py-spy reads memory without a pause. Without it, the kernel says what a thread waits in.
_ON_A_NODE = r"""
echo "== node ${SLURMD_NODENAME:-$(hostname)}"
nvidia-smi 2>&1 || echo "no nvidia-smi"
me=$(id -u)
for environ in $(grep -lszx "SLURM_JOB_ID=$SLURM_JOB_ID" /proc/[0-9]*/environ); do
  proc=${environ%/environ}
  pid=${proc#/proc/}
  [ "$(stat -c %u "$proc" 2>/dev/null)" = "$me" ] || continue
  case "$(cat "$proc/comm" 2>/dev/null)" in python*|pt_main*|torchrun*) ;; *) continue ;; esac
  echo "-- pid $pid: $(tr "\000\n" "  " < "$proc/cmdline" 2>/dev/null | cut -c1-300)"
  spy=$(command -v py-spy)
  if [ -z "$spy" ]; then
    home=$(tr '\0' '\n' < "$proc/environ" 2>/dev/null |
      sed -n 's/^\(VIRTUAL_ENV\|CONDA_PREFIX\)=//p' | head -n 1)
    [ -x "$home/bin/py-spy" ] && spy="$home/bin/py-spy"
  fi
  if [ -n "$spy" ] && timeout 20 "$spy" dump --nonblocking --pid "$pid" 2>&1; then continue; fi
  grep -E '^(Name|State|Threads|VmRSS|voluntary_ctxt_switches)' "$proc/status" 2>/dev/null
  for task in "$proc"/task/[0-9]*; do
    echo "thread ${task##*/} $(cat "$task/comm" 2>/dev/null): $(cat "$task/wchan" 2>/dev/null)"
    cat "$task/stack" 2>/dev/null
  done | head -n 400
done
echo "== end"
"""
_STEP = 'timeout -k 5 90 sh -c "$0" 2>&1 | head -c 262144'


class _Found(NamedTuple):
    """One thing of the folder: its file, how it went."""

    name: str
    ok: bool
    said: str


class Evidence:
    """Collects by Slurm's commands and from files. See core/ports.py."""

    def __init__(self, *, deadline_s: float = 30.0, srun_s: float = _SRUN_S) -> None:
        """`srun_s`: the deadline of what runs on the nodes; `deadline_s`: of each thing else."""
        self._deadline_s, self._srun_s = deadline_s, srun_s

    def collect(self, scene: Scene) -> str:
        """See core/ports.py. Raises StoreUnusable where no folder can be made."""
        folder = Path(scene.folder)
        _rotate(folder.parent)
        try:
            folder.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise StoreUnusable(f"cannot make {folder}: {error.strerror or error}") from error
        found = _at_once(self._things(scene, folder))
        with suppress(OSError):
            (folder / "README.txt").write_text(_index(scene, found))
        got = [one.name for one in found if one.ok]
        if not got:
            raise StoreUnusable(f"nothing could be collected in {folder}: see its README.txt")
        return f"{len(got)} of {len(found)} things: {', '.join(got)}"

    def _things(self, scene: Scene, folder: Path) -> dict[str, tuple[Callable[[], str], float]]:
        """By file: what writes it, and how long that may take."""
        nodes, number = ",".join(scene.nodes), _number(scene.job_id, self._deadline_s)
        asked = {
            "job.txt": ["scontrol", "show", "job", "-dd", scene.job_id],
            "nodes.txt": ["scontrol", "show", "node", nodes],
            "steps.txt": ["sstat", "--allsteps", "--parsable2", f"--jobs={number}"],
        }
        if not nodes:
            del asked["nodes.txt"]
        things: dict[str, tuple[Callable[[], str], float]] = {
            name: (_into(folder / name, argv, self._deadline_s), self._deadline_s)
            for name, argv in asked.items()
        }
        step = _into(folder / "stacks.txt", _srun(scene, number), self._srun_s, labelled=True)
        things["stacks.txt"] = (step, self._srun_s)
        things["logs"] = (lambda: _ends_of_logs(scene, folder / "logs"), 2 * self._deadline_s)
        return things


def _number(job_id: str, deadline_s: float) -> str:
    """A task's job has a number of its own, the only one that srun takes: `7_3` may be 12."""
    if "_" not in job_id:
        return job_id
    text, _ = _printed(["scontrol", "--oneliner", "show", "job", job_id], deadline_s)
    found = _TASK.search(text.decode("utf-8", "replace"))
    return found[1] if found and f"{found[2]}_{found[3]}" == job_id else job_id


def _srun(scene: Scene, number: str) -> list[str]:
    """One short step beside the job's own, on each of its nodes. No foreign word is in the script."""
    count = max(1, len(scene.nodes))
    return [
        "srun",
        f"--jobid={number}",
        "--overlap",
        f"--nodes={count}",
        f"--ntasks={count}",
        "--ntasks-per-node=1",
        "--cpus-per-task=1",
        "--mem=0",
        "--immediate=30",
        "--time=3",
        "--kill-on-bad-exit=0",
        "--label",
        "--input=none",
        "--job-name=trainwatch-evidence",
        "sh",
        "-c",
        _STEP,
        _ON_A_NODE,
    ]


def _at_once(things: dict[str, tuple[Callable[[], str], float]]) -> list[_Found]:
    """All of them, each in its own thread, which is left behind when it hangs."""
    said = dict[str, _Found]()

    def run(name: str, do: Callable[[], str]) -> None:
        try:
            said[name] = _Found(name, True, do())
        except Exception as error:  # noqa: BLE001 - one that fails is a line of the index
            said[name] = _Found(name, False, redact(f"{type(error).__name__}: {error}"))

    threads = {
        name: threading.Thread(target=run, args=(name, do), daemon=True, name="evidence")
        for name, (do, _) in things.items()
    }
    began = time.monotonic()
    for thread in threads.values():
        thread.start()
    for name, (_, deadline_s) in things.items():
        left_s = began + deadline_s + 2 * _DYING_S - time.monotonic()
        threads[name].join(max(0.0, left_s))
    return [said.get(name, _Found(name, False, "it hangs")) for name in things]


def _into(
    path: Path, argv: Sequence[str], deadline_s: float, *, labelled: bool = False
) -> Callable[[], str]:
    """A function that writes what a command prints, without secrets, and says how it went."""

    def run() -> str:
        text, trouble = _printed(argv, deadline_s)
        lines = text.decode("utf-8", "replace").splitlines()
        if labelled:  # `srun --label`: the lines of a node together, in their order
            lines.sort(key=_label)
        path.write_text(redact("\n".join(lines)) + "\n")
        if trouble:
            raise RuntimeError(trouble)
        return f"{len(lines):,} lines of {argv[0]}"

    return run


def _label(line: str) -> int:
    number = line.partition(":")[0].strip()
    return int(number) if number.isdecimal() else -1


def _printed(argv: Sequence[str], deadline_s: float) -> tuple[bytes, str]:
    """What a command printed up to MOST_BYTES, and why it is not all; empty if it is."""
    process = subprocess.Popen(  # noqa: S603 - made here, and no shell of ours reads a foreign word
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=handed_down(os.environ),
        start_new_session=True,
    )
    out = process.stdout
    assert out is not None
    got = list[bytes]()
    reader = threading.Thread(target=_read, args=(out, got), daemon=True, name="evidence-read")
    reader.start()
    try:
        code = process.wait(deadline_s)
        reader.join(_DYING_S)
        trouble = f"{argv[0]} exited with {code}" if code else ""
    except subprocess.TimeoutExpired:
        _end(process)
        reader.join(_DYING_S)
        trouble = f"{argv[0]} took longer than {deadline_s:g} s"
    data = b"".join(got)
    return data, trouble or (f"cut at {MOST_BYTES:,} bytes" if len(data) >= MOST_BYTES else "")


def _read(pipe: IO[bytes], got: list[bytes]) -> None:
    """Up to MOST_BYTES are kept; the rest is read all the same, or the command would wait for us."""
    left = MOST_BYTES
    with suppress(OSError, ValueError):
        while data := pipe.read1(65_536):  # type: ignore[attr-defined]
            if left > 0:
                got.append(data[:left])
                left -= len(got[-1])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Asked first: an srun that is killed leaves its step behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_DYING_S / 2)
            return


def _ends_of_logs(scene: Scene, folder: Path) -> str:
    """The last lines of the log and of those beside it, a file each."""
    log = Path(scene.log)
    paths = dict.fromkeys([log, *_beside(log, scene.more_logs)])
    folder.mkdir(mode=0o700)
    written, failed = 0, list[str]()
    for number, path in enumerate(list(paths)[:_MOST_LOGS]):
        try:
            text = _tail(path)
        except OSError as error:
            failed.append(f"{path}: {error.strerror or error}")
            continue
        (folder / f"{number:04d}-{_safe(path.name)}").write_text(redact(f"{path}\n{text}\n"))
        written += 1
    left = f"; {len(paths) - _MOST_LOGS:,} left out" if len(paths) > _MOST_LOGS else ""
    if not written:
        raise RuntimeError("; ".join(failed) or "no log")
    return f"{written:,} logs{left}" + (f"; {len(failed)} not: {failed[0]}" if failed else "")


def _beside(log: Path, globs: Iterable[str]) -> Iterable[Path]:
    for glob in globs:
        place, mask = (Path("/"), glob[1:]) if glob.startswith("/") else (log.parent, glob)
        found = (path for path in place.glob(mask) if path.is_file())
        yield from sorted(found)[: _MOST_LOGS + 1]


def _tail(path: Path) -> str:
    """The last lines of a plain file; a pipe would wait for ever."""
    if not path.is_file():
        raise FileNotFoundError(2, "no such file")
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL_BYTES))
        data = file.read(_TAIL_BYTES)
    return "\n".join(data.decode("utf-8", "replace").splitlines()[-_LINES:])


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII)[-100:] or "log"


def _index(scene: Scene, found: Sequence[_Found]) -> str:
    rows = [f"{'ok ' if one.ok else 'NOT'}  {one.name:<12} {one.said}" for one in found]
    head = [redact(scene.about), f"job {scene.job_id} on {len(scene.nodes)} nodes", ""]
    return "\n".join([*head, *rows, ""])


def _rotate(place: Path) -> None:
    """Room for one more: the oldest go. Only folders that bear a name of ours, and are no links."""
    with suppress(OSError):
        ours = sorted(
            path
            for path in place.iterdir()
            if _FOLDER.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
        )
        for path in ours[: -(_KEPT - 1)]:
            shutil.rmtree(path, ignore_errors=True)
