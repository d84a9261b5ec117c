"""python -m benchmarks.newcomer LOG [--markdown FILE]: the README's first steps in a fresh clone, timed.

LOG is a real training log in which `trainwatch replay` finds an alert. It is copied into a folder of its own,
and then written on as a job would. The trap: nothing may be there yet, so the home is a new one, too.
"""

import argparse
import os
import re
import select
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import environment, machine
from benchmarks.terminal import Terminal

REPOSITORY = Path(__file__).resolve().parent.parent
_SIZE = (120, 40)
_POLL_S = 0.2
_PATIENCE_S = 300.0


# As they stand in the README.
DEMO = "make demo"
INSTALL = "python3 -m venv ~/trainwatch && ~/trainwatch/bin/pip install ."
INIT = "trainwatch init main_log.txt -o trainwatch.toml"
DOCTOR = "trainwatch doctor"
SCREEN = "trainwatch tui"
WATCH = "trainwatch watch"
ALERTS = "trainwatch alerts list"
ADD_WEB = "~/trainwatch/bin/pip install '.[web]'"
WEB = "trainwatch tui main_log.txt --web"
COMMANDS = (DEMO, INSTALL, INIT, DOCTOR, SCREEN, WATCH, ALERTS, ADD_WEB, WEB)


class Step(NamedTuple):
    """One thing that the README says to do, and how long it took until something was so."""

    command: str
    until: str
    took_s: float


class Newcomer:
    """Somebody with a clone, a log and nothing else."""

    def __init__(self, root: Path, log: Path) -> None:
        self.clone, self.home, self.run = root / "clone", root / "home", root / "run"
        self._log, self._lines = (
            self.run / "main_log.txt",
            log.read_bytes().splitlines(keepends=True),
        )
        self.home.mkdir()
        self.run.mkdir()
        kept = {
            k: v
            for k, v in environment().items()
            if not k.startswith(("VIRTUAL_ENV", "TRAINWATCH"))
        }
        path = f"{self.home}/trainwatch/bin:{kept['PATH']}"
        self._environment = kept | {"HOME": str(self.home), "PATH": path, "TERM": "xterm-256color"}

    def steps(self) -> Iterator[Step]:
        """Each, once it is done. Raises RuntimeError where one does not end as the README says."""
        yield self._done(
            "git clone", "a clone is there", self.home, f"git clone -q {REPOSITORY} {self.clone}"
        )
        yield self._shown(DEMO, "the screen of a simulated run moves", self.clone, "/ 107,597")
        yield self._done(INSTALL, "installed", self.clone)
        first, spike = self._around_the_alert()
        self._log.write_bytes(b"".join(self._lines[:first]))
        yield self._done(INIT, "a configuration is written", self.run)
        looks = f"{DOCTOR} || [ $? = 1 ]"  # it finds what is not there on this machine
        yield self._done(DOCTOR, "all that is configured was looked at", self.run, looks)
        yield self._shown(SCREEN, "the screen of one's own run", self.run, "GPUs")
        yield self._alert(self._lines[first:spike])
        yield self._done(ADD_WEB, "installed", self.clone)
        yield self._link()

    def _done(self, says: str, until: str, folder: Path, command: str = "") -> Step:
        began = time.perf_counter()
        done = subprocess.run(
            ["bash", "-c", command or says],
            cwd=folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(
                f"{says}: exit code {done.returncode}: {(done.stdout + done.stderr)[-2000:]}"
            )
        return Step(says, until, time.perf_counter() - began)

    def _shown(self, command: str, until: str, folder: Path, text: str) -> Step:
        words = [
            "env",
            "-i",
            "-C",
            str(folder),
            *(f"{k}={v}" for k, v in self._environment.items()),
        ]
        with Terminal([*words, "bash", "-c", command], _SIZE, _PATIENCE_S) as terminal:
            return Step(command, until, terminal.wait_for(text.encode()))

    def _around_the_alert(self) -> tuple[int, int]:
        """Lines before the iteration at which the first alert of the log fires, and up to the next one."""
        told = self._said("trainwatch", "replay", str(self._whole()))
        found = re.search(r"ALERT \S+ firing +(\d+)", told)
        if found is None:
            raise RuntimeError(f"no alert fires in this log: {told[-500:]}")
        wanted = int(found[1])
        numbers = {
            n: i for i, line in enumerate(self._lines) if (n := _iteration(line)) is not None
        }
        return numbers[wanted - 1] + 1, numbers[wanted + 1] + 1

    def _whole(self) -> Path:
        path = self.home / "whole.log"
        path.write_bytes(b"".join(self._lines))
        return path

    def _alert(self, lines: list[bytes]) -> Step:
        with self._running(*WATCH.split()):
            while "no alerts" not in self._said(*ALERTS.split()):
                time.sleep(_POLL_S)
            with self._log.open("ab") as file:
                file.write(b"".join(lines))
            began = time.perf_counter()
            while "no alerts" in (told := self._said(*ALERTS.split())):
                if time.perf_counter() - began > _PATIENCE_S:
                    raise RuntimeError(f"no alert: {told}")
                time.sleep(_POLL_S)
            until = "the watcher's alert is listed, from the moment the job wrote the line"
            return Step(f"{WATCH}; {ALERTS}", until, time.perf_counter() - began)

    def _link(self) -> Step:
        began = time.perf_counter()
        with self._running(*WEB.split()) as process:
            assert process.stdout is not None
            found, said = None, b""
            while found is None and time.perf_counter() - began < _PATIENCE_S:
                if select.select([process.stdout], [], [], 1.0)[0]:
                    said += os.read(process.stdout.fileno(), 65_536)
                found = re.search(rb"http://\S+", said)
            if found is None:
                raise RuntimeError(f"no link: {said!r}")
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            page = opener.open(found[0].decode(), timeout=30).read()
            if b"textual" not in page:
                raise RuntimeError(f"not the screen: {page[:500]!r}")
            return Step(WEB, "the link was opened, and is the screen", time.perf_counter() - began)

    def _said(self, *words: str) -> str:
        done = subprocess.run(
            words, cwd=self.run, env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    @contextmanager
    def _running(self, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
        process = subprocess.Popen(
            words,
            cwd=self.run,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=60)


def table(steps: Iterator[Step]) -> Iterator[str]:
    """Rows of Markdown, each as soon as its step is done; the sum is the last."""
    yield "| step | until | took |\n|---|---|---|"
    total_s = 0.0
    for step in steps:
        total_s += step.took_s
        yield f"| `{step.command}` | {step.until} | {step.took_s:.1f} s |"
    yield f"| | all of it | {total_s:.0f} s |"


def main() -> int:
    """Do all of it, and print what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.newcomer", description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--markdown", type=Path, help="write the table to this file, too")
    arguments = parser.parse_args()
    print(machine())
    rows = list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for row in table(Newcomer(Path(folder), arguments.log).steps()):
            rows.append(row)
            print(row, flush=True)
    if arguments.markdown:
        arguments.markdown.write_text("\n".join(rows) + "\n")
    return 0


def _iteration(line: bytes) -> int | None:
    found = re.search(rb"iteration +(\d+)/", line)
    return int(found[1]) if found else None


if __name__ == "__main__":
    sys.exit(main())
