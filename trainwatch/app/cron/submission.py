"""The batch job that trainwatch lives in, as it is submitted."""

import shlex
from collections.abc import Sequence

from msgspec.structs import replace

from trainwatch.app.cron.settings import CronSettings
from trainwatch.core.slurm.submitting import Submission, argv

# The shell hears Slurm's signal (B:) and passes it on. Until Python can hear it, it is not lost: Python looks
# at its own clock, too.
_SCRIPT = """\
#!/bin/bash
# The job that trainwatch lives in: it submits its own successor, watches, and ends before its limit.
trap '' USR1
{command} &
trainwatch=$!
ended=
trap 'kill -USR1 $trainwatch' USR1
trap 'ended=1; kill -TERM $trainwatch' TERM
while kill -0 $trainwatch 2>/dev/null; do wait $trainwatch; done  # a signal ends a wait
wait $trainwatch; code=$?

# A trainwatch that cannot even start (a broken environment, a disk that hangs) must not end the chain: if its
# queue can be read and nothing of it waits there, the same job comes again.
waiting() {{ squeue --noheader --me --name={name} --states=PENDING 2>&1; }}
if [ -z "$ended" ] && [ $code -ne 0 ] && [ -z "$(waiting)" ]; then
  echo "trainwatch ended with $code and left no successor: the same job is submitted again"
  {again} "$0"
fi
exit $code
"""


def submission(
    settings: CronSettings,
    *,
    name: str,
    command: Sequence[str],
    folder: str,
    output: str,
    shards: int = 1,
) -> Submission:
    """A job of the chain. It waits for all before it."""
    job = settings.placed(
        Submission(
            script="",
            name=name,
            output=output,
            folder=folder,
            array=f"0-{shards - 1}" if shards > 1 else "",
            dependency="singleton",
            time_limit_s=settings.time_limit_s,
            signal_s=min(settings.hand_over_s, settings.time_limit_s * 0.9),
            cpus=1,
        )
    )
    again = argv(replace(job, comment=name, begin_in_s=settings.interval_s))
    script = _SCRIPT.format(command=shlex.join(command), name=name, again=shlex.join(again))
    return replace(job, script=script)
