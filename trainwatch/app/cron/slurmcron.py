"""Kept by Slurm's own cron, where the cluster has it: our entry in the user's scrontab."""

from msgspec.structs import replace

from trainwatch.app.cron.wire import CronSite
from trainwatch.core.errors import UsageError
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.slurm import scrontab


def put(site: CronSite, now: float, *, wanted: bool) -> str:
    """Write our entry, or take it out; what was done.

    Raises UsageError, SchedulerUnknown, SubmissionRefused, StoreUnusable.
    """
    cron, name = site.settings.cron, site.files.name
    if cron.mode != "ticks":
        raise UsageError("[cron] keeper = 'scrontab' starts short jobs: it wants mode = 'ticks'")
    lines = None
    if wanted:
        site.site.runs()
        job = replace(site.job(1), dependency="", script="")
        lines = scrontab.entry(name, job, site.command("tick"), cron.interval_min)
        if lines is None:
            raise UsageError(
                f"[cron] interval_min = {cron.interval_min:g} cannot be said in a scrontab: take a "
                "number of minutes that divides an hour, or of hours that divides a day"
            )
    before = site.files.hands.scrontab()
    after = scrontab.changed(before, name, lines)
    if after != before:
        site.files.hands.put_scrontab(after)
    _keep(site, wanted, now)
    if after == before:
        return "scrontab: nothing to change"
    return (
        f"scrontab: {'our entry is in' if wanted else 'our entry is gone'} (scrontab -l shows it)"
    )


def _keep(site: CronSite, wanted: bool, now: float) -> None:
    """For `cron status` and the screen: whether ticks are to come."""
    files = site.files
    with files.file.guarded():
        before = files.file.read()
        if before is None or before.wanted != wanted:
            files.file.write(
                ChainRecord(wanted=wanted, at=now, by=files.user, interval_s=files.interval_s)
            )
