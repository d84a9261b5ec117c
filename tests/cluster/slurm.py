"""A real Slurm in a temporary folder: munge, slurmctld, two slurmd and, where accounting is wanted, slurmdbd.

It owns every process that it starts and ends no other. Needs root and Debian's packages; `why_not` names
what is missing. The trap: ports and folders are of this cluster alone, so that several may run at once.
"""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from tests.cluster import books, configuration

PACKAGES = "slurm-wlm munge slurmdbd mariadb-server"
_PROGRAMS = ("munged", "slurmctld", "slurmd", "squeue", "sbatch", "slurmdbd", "mariadbd")
_PATIENCE_S = 180.0
NODES = ("node1", "node2")


def why_not() -> str:
    """Why no cluster can be started here, with the command that changes it; empty if one can."""
    missing = [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]
    if missing:
        return f"no {', '.join(missing)}: apt-get install -y --no-install-recommends {PACKAGES}"
    if os.geteuid() != 0:
        return "only root can start a Slurm of its own: run the tests as root, e.g. in a container"
    return ""


_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class Cluster:
    """Two nodes of sixteen CPUs and four pretended GPUs; partitions `gpu` (default) and `prepost`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.conf = folder / "slurm.conf"
        self.env = {
            **os.environ,
            "PATH": _PATH,
            "SLURM_CONF": str(self.conf),
            "SLURM_DBD_CONF": str(folder / "slurmdbd.conf"),
        }
        self._processes = dict[str, subprocess.Popen[bytes]]()
        self._ports = free_ports(3 + len(NODES))
        self._beyond_repair = False

    def run(self, *command: str, check: bool = True, timeout_s: float = 180.0) -> str:
        """Standard output of a command, asked of this cluster."""
        done = subprocess.run(
            command, env=self.env, capture_output=True, text=True, timeout=timeout_s, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def works(self, *command: str, timeout_s: float = 10.0) -> bool:
        """Whether a command can be run now."""
        with suppress(AssertionError, subprocess.TimeoutExpired):
            self.run(*command, timeout_s=timeout_s)
            return True
        return False

    def submit(self, script: str, *options: str) -> str:
        """The id of a job with this shell script."""
        text = f"#!/bin/bash\n{script}\n"
        done = subprocess.run(
            ["sbatch", "--parsable", "--chdir", str(self.folder), *options],
            env=self.env,
            input=text,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout.strip()

    def until(self, holds: Callable[[], bool], what: str, patience_s: float = _PATIENCE_S) -> None:
        """Wait for something that only the cluster can bring about."""
        deadline = time.monotonic() + patience_s
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {patience_s:.0f} s for {what}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self) -> str:
        """The last lines of each daemon's log."""
        tails = []
        for path in sorted(self.folder.glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()[-8:]
            tails.append("\n".join([f"== {path.name}", *lines]))
        return "\n".join(tails)

    def start(self, *, accounting: bool) -> None:
        """Up, with all nodes idle."""
        configuration.write(self.conf, NODES, self._ports, accounting=accounting)
        self._start_munge()
        if accounting:
            books.start(self, sql_port=self._ports[1], port=self._ports[2])
        self.mend()

    def mend(self) -> None:
        """No job, and each node idle; what a test ended, or what died, is started again.

        Raises AssertionError if it does not come to that, and from then on at once: tests that can only fail
        must not each wait for it.
        """
        assert not self._beyond_repair, "an earlier test left a cluster that could not be mended"
        self._beyond_repair = True
        self.until(self._is_as_new, "an empty queue and idle nodes")
        self._beyond_repair = False

    def _is_as_new(self) -> bool:
        """Daemons first: without a controller, neither the queue nor a node can be asked about."""
        if self._is_gone("slurmctld"):
            self.start_controller()
        for node in NODES:
            if self._is_gone(node):
                self.start_node(node)
        try:
            self.run("scancel", "--user=root")
            for node, state in self._nodes():
                if state.startswith("drain"):  # for a job that it could not start or end
                    self.run("scontrol", "update", f"NodeName={node}", "State=RESUME")
            idle = [node for node, state in self._nodes() if state == "idle"]
            return not self.run("squeue", "-h") and len(idle) == len(NODES)
        except AssertionError:  # not yet
            return False

    def start_controller(self) -> None:
        """The daemon that every command asks; it answers."""
        self.until(self._controller_answers, "slurmctld")

    def _controller_answers(self) -> bool:
        if self._is_gone("slurmctld"):
            self.begin("slurmctld", ["slurmctld", "-D", "-f", str(self.conf)])
        return "UP" in self.run("scontrol", "ping", check=False)

    def start_node(self, node: str) -> None:
        """A node joins."""
        self.begin(node, ["slurmd", "-D", "-N", node, "-f", str(self.conf)])

    def begin(self, name: str, command: Sequence[str]) -> None:
        """A daemon, which is ended with the cluster."""
        with (self.folder / f"{name}.out").open("ab") as out:
            self._processes[name] = subprocess.Popen(
                command, env=self.env, stdout=out, stderr=out, start_new_session=True
            )

    def kill(self, name: str) -> None:
        """`slurmctld`, `slurmdbd` or a node is gone from one moment to the next."""
        if name == "slurmctld":
            self._save()
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def _save(self) -> None:
        """What a controller has not written yet dies with it, jobs of the last seconds: make it write."""
        saved, asked_at = self.folder / "state" / "job_state", time.time()
        job = self.submit("true", "--hold", "--job-name=a-reason")
        self.until(lambda: saved.exists() and saved.stat().st_mtime > asked_at, "a saved state")
        self.run("scancel", job)

    def stop(self) -> None:
        """End what was started here, jobs first."""
        with suppress(AssertionError, subprocess.SubprocessError):
            self.run("scancel", "--user=root", check=False, timeout_s=10)
        for name in reversed(list(self._processes)):
            process = self._processes.pop(name)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for left in self._left():
            with suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)

    def _is_gone(self, name: str) -> bool:
        process = self._processes.get(name)
        return process is None or process.poll() is not None

    def _nodes(self) -> list[list[str]]:
        """Each with its state."""
        lines = self.run("sinfo", "-h", "-N", "-p", "gpu", "-o", "%N %T").splitlines()
        return [line.split() for line in lines]

    def _left(self) -> Iterator[int]:
        """Job steps of this cluster that outlived their node's daemon."""
        wanted = f"SLURM_CONF={self.conf}".encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with suppress(OSError):
                    if wanted in (entry / "environ").read_bytes().split(b"\0"):
                        yield int(entry.name)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        socket_path = self.folder / "munge.socket"
        self.begin(
            "munged",
            [
                "munged",
                "--foreground",
                "--force",
                f"--key-file={key}",
                f"--socket={socket_path}",
                f"--pid-file={self.folder / 'munged.pid'}",
                f"--log-file={self.folder / 'munged.log'}",
                f"--seed-file={self.folder / 'munged.seed'}",
            ],
        )
        self.until(socket_path.exists, "munge")


def free_ports(count: int) -> list[int]:
    """So many ports in a row that nobody listens on, and that no other process of the tests is given.

    They are below those that the kernel hands out. What is given stays given until this process ends: the
    daemons bind theirs only seconds later.
    """
    for first in range(20_000, 32_000, count):
        with ExitStack() as held:
            ports = list(range(first, first + count))
            try:
                locks = [held.enter_context(_claim(port)) for port in ports]
                for port in ports:
                    held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            _claimed.extend(os.dup(lock.fileno()) for lock in locks)
            return ports
    raise AssertionError("no free ports")


_claimed: list[int] = []


def _claim(port: int) -> TextIO:
    folder = Path(tempfile.gettempdir()) / "trainwatch-test-ports"
    folder.mkdir(exist_ok=True)
    lock = (folder / str(port)).open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise
    return lock


@contextmanager
def cluster(folder: Path, *, accounting: bool = False) -> Iterator[Cluster]:
    """A cluster until the context ends."""
    made = Cluster(folder)
    try:
        made.start(accounting=accounting)
        yield made
    finally:
        made.stop()
