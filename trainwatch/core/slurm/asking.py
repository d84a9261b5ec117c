"""What every command of Slurm is asked with: the environment, separators, lists of names. What jobs inherit.

The trap: the user's own SQUEUE_FORMAT, SQUEUE_STATES and the like change what the commands answer.
"""

from collections.abc import Iterable, Mapping

from trainwatch.core.patterns import pattern

# Moments as seconds since the epoch, array ids not cut after 64 characters, JSON without indentation.
ENVIRONMENT = {
    "LC_ALL": "C",
    "SLURM_BITSTR_LEN": "256",
    "SLURM_JSON": "compact",
    "SLURM_TIME_FORMAT": "%s",
}
# Variables that begin so must not be passed on: they filter, sort or reshape the answer.
NOT_PASSED_ON = ("SACCT_", "SINFO_", "SQUEUE_")
# A job that submits one must not hand down its own place, array and memory; where the cluster is, it may.
_OF_A_JOB = ("SLURM_", "SLURMD_", "SBATCH_", "SRUN_")
_OF_THE_SITE = frozenset(
    (
        "SLURM_CONF",
        "SLURM_CONF_SERVER",
        "SLURM_CLUSTERS",
        "SBATCH_ACCOUNT",
        "SBATCH_CLUSTERS",
        "SBATCH_PARTITION",
        "SBATCH_QOS",
        "SBATCH_RESERVATION",
    )
)

_TOKEN = pattern(r"[0-9A-Za-z]{8,64}")
_NAME = pattern(r"[^\s,\x00-\x1f\x7f]{1,255}")
_MOST_NAMES = 1000  # of one argument: the kernel bounds the length of a command


def handed_down(environment: Mapping[str, str]) -> dict[str, str]:
    """What of our environment a job that we submit may have: Slurm gives it the rest anew."""
    return {
        name: value
        for name, value in environment.items()
        if name in _OF_THE_SITE or not name.startswith(_OF_A_JOB)
    }


def field_end(separator: str) -> str:
    """What ends a field; `separator` is a random token of 8 to 64 letters and digits, new for each answer.

    So nobody can forge a field or a row by the name of a job. Raises ValueError for any other token.
    """
    if _TOKEN.fullmatch(separator) is None:
        raise ValueError("a separator is a token of 8 to 64 letters and digits")
    return f":{separator}:"


def row_end(separator: str) -> str:
    """What ends a row. Raises ValueError like `field_end`."""
    return field_end(separator)[:-1] + "."


def layout(codes: Iterable[str], separator: str) -> str:
    """The format of squeue and sinfo: each code in full (a width would cut), our ends between them."""
    return field_end(separator).join(codes) + row_end(separator)


def listed(option: str, names: Iterable[str]) -> list[str]:
    """`--user=a,b`, or nothing for no names. Raises ValueError for a name that a list cannot hold."""
    chosen = list(dict.fromkeys(names))
    if len(chosen) > _MOST_NAMES:
        raise ValueError(f"{option} takes at most {_MOST_NAMES} names")
    for name in chosen:
        if _NAME.fullmatch(name) is None:
            raise ValueError(f"{option} takes no name that is empty or holds commas or blanks")
    return [f"{option}={','.join(chosen)}"] if chosen else []
