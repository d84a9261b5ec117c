"""A daemon over one run, its log, its queue, and the hands on it, with a clock wound by hand."""

from pathlib import Path

from tests.app.rigs import NOW, SCANNER, Rig, iteration
from tests.fakes import MemoryEvidence, MemoryHands, MemoryScheduler
from trainwatch.app.daemon import Daemon
from trainwatch.app.hands import Chosen, Hands
from trainwatch.app.queueing import Queues
from trainwatch.app.watched import Watched
from trainwatch.core.facts import Facts
from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.judge import Judge
from trainwatch.core.model.observations import Job
from trainwatch.core.model.status import HandStatus
from trainwatch.core.ours import Ours
from trainwatch.core.rules.settings import AlertSettings

STARTUP = b"using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4\n"
RUNNING = Job(
    job_id="7_1",
    array_job_id="7",
    name="tr11",
    state="RUNNING",
    nodes=("n1", "n2", "n3", "n4", "n5"),
    start=NOW - 60,
)
NEXT = Job(
    job_id="7_[2-10%1]",
    array_job_id="7",
    name="tr11",
    state="PENDING",
    reason="JobArrayTaskLimit",
)
CANCEL = HandSettings(apply=True, cancel_stalled_after_min=20)
BOTH = HandSettings(apply=True, cancel_stalled_after_min=20, evidence=True)


def opened(rig: Rig, name: str = "tr11") -> Watched:
    """The run, as its last watcher left it."""
    saved = rig.store.load()
    if saved is not None:
        rig.log.mark = saved.mark
    judge = Judge(name, AlertSettings(), Facts(), saved.memory if saved else None)
    return Watched(
        name,
        "main_log.txt",
        rig.log,
        rig.store,
        SCANNER,
        saved=saved,
        record=rig.recorded.append,
        judge=judge,
    )


class World:
    """A daemon over one run, its log, its queue, and the hands on it."""

    def __init__(self, settings: HandSettings, folder: Path = Path("/state")) -> None:
        self.scheduler, self.evidence = MemoryScheduler(), MemoryEvidence()
        self.scheduler.jobs = (RUNNING, NEXT)
        self.jobs = MemoryHands(self.scheduler)
        self.settings, self.folder, self.now = settings, folder, NOW
        self.rigs = [Rig()]
        self.begin()

    @property
    def rig(self) -> Rig:
        return self.rigs[0]

    def begin(self) -> None:
        """A daemon, or another one."""
        for rig in self.rigs:
            rig.run = opened(rig, f"tr1{1 + self.rigs.index(rig)}")
        ours = {rig.run.name: Ours(job_name="tr11") for rig in self.rigs}
        chosen = {
            name: Chosen(self.settings, each, self.folder / "evidence")
            for name, each in ours.items()
        }
        queues = Queues(self.scheduler, ours, 60.0, patience_s=10.0)
        self.hands = Hands(self.scheduler, self.jobs, self.evidence, chosen, interval_s=60.0)
        runs = [rig.run for rig in self.rigs]
        self.daemon = Daemon(runs, heartbeat_s=30.0, queues=queues, hands=self.hands)

    def go_on(self, minutes: float, number: int | None = None) -> "World":
        """Time passes, tick by tick; a line every 15 s from iteration `number` on."""
        for step in range(round(minutes * 4)):
            self.now += 15.0
            if number is not None:
                self.rig.log.write(iteration(number + step).replace(b"/    1000", b"/ 9000000"))
            while self.daemon.tick(self.now):
                pass
            self.hands.finish([rig.run for rig in self.rigs], self.now, 10.0)
        return self

    def train(self) -> "World":
        """It trains for ten minutes."""
        self.rig.log.write(STARTUP)
        return self.go_on(10, number=1)

    @property
    def did(self) -> list[str]:
        return self.jobs.did

    def journal(self) -> list[str]:
        """What stands there of hands."""
        return [f"{e.kind}: {e.text}" for e in self.rig.store.events if e.kind.startswith("hand-")]

    def hand(self, name: str) -> HandStatus:
        """What the status says of one."""
        status = self.rig.run.status(self.now)
        return next(row for row in status.hands if row.hand == name)
