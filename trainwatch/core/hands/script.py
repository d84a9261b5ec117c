"""A user's batch script -> the job that it is submitted as.

The trap: options on the command line win over the script's own. What the script says (its name, its list of
excluded nodes, whether it is requeued) must be kept, and only added to.
"""

import shlex
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from trainwatch.core.errors import UsageError
from trainwatch.core.hands.nodes import merged
from trainwatch.core.model.observations import Job
from trainwatch.core.ours import Ours
from trainwatch.core.patterns import pattern
from trainwatch.core.slurm.submitting import Submission

_DIRECTIVE = pattern(r"#SBATCH\s+(.*)")
_LONGEST = 1024 * 1024
_LONG = {"-D": "--chdir", "-J": "--job-name", "-x": "--exclude"}
_OURS = ("--exclude", "-x", "--comment")  # made of theirs and ours


def submission(
    script: str,
    path: str,
    ours: Ours,
    *,
    token: str,
    exclude: str = "",
    options: Sequence[str] = (),
) -> Submission:
    """The job of a script that lies at `path`, which starts once none of its name runs or waits before it.

    Raises UsageError for what is no batch script, or whose job would not be seen to be the run's.
    """
    if not script.startswith("#!") or len(script) > _LONGEST or "\0" in script:
        raise UsageError(f"{path} is no batch script: it does not begin with #!")
    own = dict([*_directives(script), *_pairs(options)])  # the last counts
    folder, _, file = path.rpartition("/")
    named = own.get("--job-name", "")
    comment = " ".join(filter(None, (own.get("--comment", ""), token)))
    _seen_as(ours, named or file, comment, path)
    return Submission(
        script=script,
        name="" if named else file,
        comment=comment,
        folder="" if "--chdir" in own else folder,
        exclude=merged(exclude, own.get("--exclude", "")),
        dependency="singleton",
        requeue=None,
        options=tuple(option for option in options if not option.startswith(_OURS)),
    )


def _seen_as(ours: Ours, name: str, comment: str, path: str) -> None:
    """A job that the queue would not show as the run's would be submitted again and again."""
    seen = replace(ours, user=None, account=None)
    job = Job(job_id="", name=name, state="PENDING", comment=comment)
    if seen != Ours() and not seen.among([job]):
        raise UsageError(
            f"{path}: its job '{name}' would not be seen as the run's: {ours.in_words()}"
        )


def _directives(script: str) -> Iterator[tuple[str, str]]:
    """The long options of the #SBATCH lines, which end with the first command."""
    for line in script.splitlines():
        if line.strip() and not line.startswith("#"):
            return
        if found := _DIRECTIVE.match(line):
            try:
                words = shlex.split(found[1], comments=True)
            except ValueError:
                continue
            yield from _pairs(words)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """`--exclude=n1`, `--exclude n1`, `-x n1` and `-xn1` as option and value."""
    for word, behind in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("--"):
            option, given, value = word.partition("=")
            yield option, value if given else behind
        elif word.startswith("-") and len(word) > 1:
            yield _LONG.get(word[:2], word[:2]), word[2:] or behind
