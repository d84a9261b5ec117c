"""What a job of the chain does beside watching: its successor, its heartbeat, its share of the runs, scripts.

The trap: nothing here may wait. What takes time, as sbatch does, is done in a thread and heard of later.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace

from trainwatch.app.cron.chain import Tended
from trainwatch.app.cron.ground import Ground, Place, Scripts
from trainwatch.app.cron.share import Found, Share
from trainwatch.app.daemon import Daemon
from trainwatch.app.probe import Probe
from trainwatch.app.queueing import Whole
from trainwatch.core import chainhealth
from trainwatch.core.chain import Link
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import CronStatus, ShardStatus
from trainwatch.core.model.observations import Job, Observation
from trainwatch.core.model.status import Status

_MOST_TROUBLES = 10
_AGAIN_S = 10.0  # between tries for a successor, when the process ends
_MOST_LEFT = 20


class Keeper:
    """Of one job, or one task of it."""

    def __init__(
        self,
        ground: Ground,
        place: Place,
        share: Share,
        stop: Callable[[str], None],
        scripts: Scripts | None = None,
        *,
        patience_s: float = 0.0,
    ) -> None:
        """`stop` is called with the reason when this job has to end. A tick waits `patience_s` for sbatch."""
        self._patience_s = patience_s
        self._ground, self._place, self._share, self._stop = ground, place, share, stop
        self._scripts, self._next_scripts = scripts, list[Scripts | None]()
        self._probe = Probe(self._tend_asked)
        self._asked: Whole | None = None
        self._asked_now = 0.0
        self._links: tuple[Link, ...] | None = None
        self._unseen = "it was not asked yet"
        self.tended = Tended()
        self._beaten_at = float("-inf")
        self._ends_at: float | None = None  # when our own job's limit ends it
        self._troubles, self._remarks = list[str](), tuple[str, ...]()
        self._elsewhere = dict[str, float | None]()  # runs of other shards, and their heartbeats
        self.leads = place.task == 0

    def begin(self, now: float) -> Sequence[Job] | None:
        """Before anything else: the successor. Returns what the queue answered; None if it did not."""
        try:
            jobs = self._ground.scheduler.queue()
        except TrainwatchError as error:
            self._unseen = str(error)
            self._note(f"the queue: {error}")
            return None
        self._see(jobs)
        if self.leads and self._ground.tends:
            self._heed(self._ground.chain.tend(jobs, now, now, self._place.job_id))
        return jobs

    def tick(self, now: float, daemon: Daemon) -> None:
        """See app/daemon.py."""
        for found in self._share.more(now, daemon.given_up):
            self.adopt(found, daemon)
        self._mind_the_limit(now)
        self._tend(now, daemon.queues.whole if daemon.queues is not None else None)
        self._hear()
        if self._scripts is not None and self.leads:
            self._tell(self._scripts.tick(now, self._ends_at), daemon)
        self._change_scripts(now, daemon)
        if not 0 <= now - self._beaten_at < chainhealth.HEARTBEAT_S:
            self.beat(now, daemon)

    def adopt(self, found: Found, daemon: Daemon) -> None:
        """Watch it from now on."""
        hands = self._ground.hands_of(found.settings)
        daemon.adopt(found.watched, found.settings, hands)

    def renew(self, ground: Ground, share: Share) -> None:
        """Stand on this from now on; the chain's jobs go on as they were submitted."""
        self._ground, self._share = ground, share
        self._beaten_at = float("-inf")

    def run_scripts(self, scripts: Scripts | None) -> None:
        """Run these once what runs now has ended: a script is not cut off for a line of configuration."""
        self._next_scripts = [scripts]
        if self._scripts is not None:
            self._scripts.wind_down()

    def _change_scripts(self, now: float, daemon: Daemon) -> None:
        if not self._next_scripts or (self.leads and self.busy):  # who does not lead runs none
            return
        if self._scripts is not None:
            self._tell(self._scripts.close(now), daemon)
        self._scripts = self._next_scripts.pop()

    def elsewhere(self, now: float) -> dict[str, str]:
        """See app/daemon.py."""
        lost_s, silent = self._ground.lost_s, "its watcher gives no sign of life"
        return {
            run: "" if beat is not None and now - beat < lost_s else silent
            for run, beat in self._elsewhere.items()
        }

    def status(self, run: str) -> Status:
        """See app/daemon.py."""
        known = self._ground.status_of(run)
        return known if known is not None else Status(run=run, health="unknown")

    def finish(
        self, now: Callable[[], float], pause: Callable[[float], None], left_s: Callable[[], float]
    ) -> None:
        """Before the process ends: try for a successor, if none is known to wait, while time is left."""
        self._probe.close()
        began = now()
        while self.leads and not self._is_followed and now() - began < left_s():
            self.begin(now())
            if not self._is_followed:
                pause(_AGAIN_S)

    def end_scripts(self, now: float, daemon: Daemon) -> None:
        """Before the stores are closed: what runs is waited for a little, then ended, and said."""
        if self._scripts is not None:
            self._tell(self._scripts.close(now, self._ground.hand_over_s / 4), daemon)
            daemon.tick(now)

    @property
    def busy(self) -> bool:
        """Whether a script of ours runs."""
        return self._scripts is not None and self._scripts.busy

    @property
    def _is_followed(self) -> bool:
        tended = self.tended
        return bool(
            not self._ground.tends or tended.submitted or tended.successor is not None or tended.end
        )

    def _see(self, jobs: Sequence[Job]) -> None:
        self._links = self._ground.chain.links(jobs)
        mine = [link for link in self._links if link.job_id == self._place.job_id]
        ours = (self._place.job_id, f"{self._place.job_id}_{self._place.task}")
        rows = [job for link in mine for job in link.jobs if job.job_id in ours]
        ends = [job.end for job in rows if job.end is not None]
        self._ends_at = min(ends) if ends else None
        tasks = mine[0].tasks if mine else ()
        if tasks:
            self.leads = tasks[0] == self._place.task

    def _mind_the_limit(self, now: float) -> None:
        """Slurm's signal may not come: its controller, which sends it, can be away."""
        if self._ends_at is not None and now >= self._ends_at - self._ground.hand_over_s / 2:
            self._stop("the time limit is near, and no signal came")

    def _tend(self, now: float, whole: Whole | None) -> None:
        """A new answer of the queue is looked at once, for the chain too."""
        if whole is None or whole is self._asked or self._probe.asked:
            return
        self._asked, self._asked_now = whole, now
        if whole.reading.state != "ok":
            self._links, self._unseen = None, whole.reading.why
            return
        self._see(whole.reading.jobs)
        if self.leads and self._ground.tends:
            self._probe.ask()

    def _tend_asked(self) -> Tended:
        """In a thread of its own."""
        asked = self._asked
        if asked is None:
            return self.tended
        return self._ground.chain.tend(
            asked.reading.jobs, asked.asked_at, self._asked_now, self._place.job_id
        )

    def _hear(self) -> None:
        if not self._probe.asked:
            return
        try:
            tended = self._probe.answer(self._patience_s)
        except Exception as error:  # noqa: BLE001 - a bug in tending must not end the watch of the logs
            tended = Tended(trouble=f"tending the chain failed with {type(error).__name__}")
        if tended is not None:
            self._heed(tended)

    def _heed(self, tended: Tended) -> None:
        self.tended = tended
        if tended.trouble:
            self._note(tended.trouble)
        if tended.end:
            self._stop(tended.end)

    def _note(self, trouble: str) -> None:
        if not self._troubles or self._troubles[-1] != trouble:
            self._troubles = [*self._troubles, trouble][-_MOST_TROUBLES:]

    def _tell(self, seen: Sequence[Observation], daemon: Daemon) -> None:
        """Scripts are nobody's run: the first that is watched hears of them, so that it is told once."""
        runs = [run for run in daemon.runs if run not in daemon.given_up]
        if seen and runs:
            runs[0].observe(seen)

    def beat(self, now: float, daemon: Daemon) -> None:
        """Say that we watch, and how the chain is."""
        self._beaten_at, self._remarks = now, daemon.remarks
        if self._place.shards > 1:
            self._elsewhere = self._share.elsewhere()
        watched = [run.name for run in daemon.runs if run not in daemon.given_up]
        left = [f"{run}: {why}" for run, why in self._share.left.items()]
        shard = ShardStatus(
            index=self._place.task,
            at=now,
            job_id=self._place.job_id,
            host=self._place.host,
            runs=tuple(watched),
            taken_over=tuple(sorted(self._share.taken & set(watched))),
            left=tuple(left[:_MOST_LEFT]),
        )
        try:
            self._ground.beats.write(shard)
            if self.leads:
                self._ground.publish(self._whole_status(now))
        except OSError as error:
            self._note(f"cron/status.json: {error.strerror}")

    def _whole_status(self, now: float) -> CronStatus:
        record: ChainRecord | None = ChainRecord()
        with suppress(TrainwatchError):
            record = self._ground.record()
        beats = self._ground.beats.read()
        seen = chainhealth.Seen(record, self._links_now(), beats, self._unseen, self._ground.kept)
        status = chainhealth.judged(seen, now, self._ground.mode, self._ground.interval_s)
        scripts = self._scripts.statuses(now) if self._scripts is not None else ()
        amiss = self._scripts.troubles if self._scripts is not None else ()
        amiss = (*amiss, *self._remarks)
        return replace(status, scripts=scripts, troubles=(*self._troubles, *amiss))

    def _links_now(self) -> tuple[Link, ...] | None:
        """As last seen, with the successor that was submitted since: the next answer shows it."""
        submitted = self.tended.submitted
        if self._links is None or not submitted:
            return self._links
        if any(link.job_id == submitted for link in self._links):
            return self._links
        job = Job(job_id=submitted, name="", state="PENDING", reason="Dependency")
        return (*self._links, Link(submitted, (job,)))
