"""Where on a cluster jobs of our own go, as a user configures it.

The trap: an option of sbatch that is passed on may undo what we rely on (`--wrap`, `--array`), and a word
that is no option is taken for the name of a script.
"""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from trainwatch.core.slurm.submitting import Submission

WORD = r"^[^\s\x00-\x1f\x7f]*\Z"
# What we say ourselves of each job, and what would make sbatch wait or submit nothing.
_OURS = (
    "array|begin|chdir|comment|dependency|error|help|hold|input|job-name|no-requeue|open-mode|output|parsable"
    "|quiet|requeue|signal|test-only|time|usage|version|wait|wrap"
)
OPTION = rf"^--(?!(?:{_OURS})(?:=|\Z))[a-z][a-z0-9-]*(?:=[^\x00-\x1f\x7f]*)?\Z"
# What each pattern asks for, in words.
MEANT = {
    WORD: "one word, without blanks",
    OPTION: "an option of sbatch as --name or --name=value, and none that trainwatch sets itself",
}

Word = Annotated[str, msgspec.Meta(pattern=WORD, max_length=500)]
Option = Annotated[str, msgspec.Meta(pattern=OPTION, max_length=500)]


class JobSite(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What of a job the site decides. Empty or None leaves it to the cluster."""

    partition: Word = ""
    account: Word = ""
    qos: Word = ""
    constraint: Word = ""
    options: tuple[Option, ...] = ()  # of sbatch, each as one word: "--licenses=lustre"
    cpus: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    memory_mb: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def placed(self, job: Submission) -> Submission:
        """The job, sent there: over what it says itself, where the site says something."""
        said = {key: getattr(self, key) for key in JobSite.__struct_fields__}
        return replace(
            job, **{key: value for key, value in said.items() if value not in ("", (), None)}
        )
