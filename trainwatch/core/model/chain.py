"""What is kept of the chain itself beside the queue: that it is wanted, and what was asked for in vain."""

import msgspec

from trainwatch.core.slurm.submitting import Submission


class ChainRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Of one state folder. Times are s since the epoch.

    `unsettled` is the comment of a submission whose answer was lost: the job may be in the queue soon.
    """

    version: int = 1
    wanted: bool = True  # False: stopped by hand, and `ensure` leaves it so
    at: float = 0.0  # when it was started or stopped
    by: str = ""
    job: Submission | None = (
        None  # what is submitted again and again, should nothing newer be known
    )
    shards: int = 1
    interval_s: float = 600.0  # of the grid
    handed_over: int = 0  # jobs that began after the first
    last_job: str = ""
    unsettled: str = ""
    unsettled_at: float = 0.0
