"""A batch script that a user wrote, as a job that we submit: what it says itself stands.

The trap: sbatch's options win over the script's own `#SBATCH` lines; without an output file it makes a
new one for each job.
"""

import shlex
from collections.abc import Iterator

from trainwatch.core.patterns import pattern
from trainwatch.core.slurm.submitting import Submission

_DIRECTIVE = pattern(r"#SBATCH\s+(.+)")
_LONG = {"-J": "--job-name", "-o": "--output", "-D": "--chdir"}
_MOST_COMMENT = 200


def submission(script: str, *, name: str, folder: str, output: str, comment: str) -> Submission:
    """The job. Name, folder and output are ours unless the script has its own; our comment is added."""
    own = dict(_options(script))
    said = own.get("--comment", "")[:_MOST_COMMENT]
    return Submission(
        script=script,
        name="" if "--job-name" in own else name,
        folder="" if "--chdir" in own else folder,
        output="" if "--output" in own else output.replace("%", "%%"),
        comment=f"{said} {comment}".strip(),
        requeue="--requeue" in own,
    )


def _options(script: str) -> Iterator[tuple[str, str]]:
    """What its `#SBATCH` lines say. Slurm reads them up to the first command."""
    for line in script.splitlines()[:1000]:
        found = _DIRECTIVE.match(line)
        if found is None:
            if line.strip() and not line.startswith("#"):
                return
            continue
        words = _words(found[1])
        for word, after in zip(words, [*words[1:], ""], strict=True):
            yield from _option(word, after)


def _option(word: str, after: str) -> Iterator[tuple[str, str]]:
    """An option in its long form, with its value: `--name=x`, `--name x`, `-J x` or `-Jx`."""
    if word.startswith("--"):
        option, equals, value = word.partition("=")
        yield option, value if equals else after
    elif word.startswith("-"):
        yield _LONG.get(word[:2], word[:2]), word[2:] or after


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # a quote that nobody closed
        return text.split()
