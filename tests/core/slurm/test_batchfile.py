"""What a user's batch script says of itself stands; the rest is ours."""

import pytest

from trainwatch.core.slurm import submitting
from trainwatch.core.slurm.batchfile import submission
from trainwatch.core.slurm.submitting import Submission


def made(script: str) -> Submission:
    return submission(script, name="du", folder="/h", output="/s/50%/du.out", comment="c:1")


NAME = {
    "none": ("", "du"),
    "long": ("#SBATCH --job-name=mine", ""),
    "short": ("#SBATCH -J mine", ""),
    "glued": ("#SBATCH -Jmine", ""),
    "behind others": ("#SBATCH -N 1 --requeue --job-name mine # why", ""),
    "in a comment": ("#SBATCH -N 1 # --job-name=mine", "du"),
    "commented out": ("##SBATCH --job-name=mine", "du"),
    "behind a command": ("echo\n#SBATCH --job-name=mine", "du"),
    "behind a comment": ("# mine\n\n#SBATCH --job-name=mine", ""),
    "with an open quote": ("#SBATCH --job-name='mine", ""),
}


@pytest.mark.parametrize(("lines", "name"), NAME.values(), ids=NAME.keys())
def test_the_name(lines: str, name: str) -> None:
    assert made(f"#!/bin/bash\n{lines}\nsrun x\n").name == name


def test_all_of_it() -> None:
    job = made("#!/bin/bash\nsrun x\n")
    assert (job.name, job.folder, job.comment, job.requeue) == ("du", "/h", "c:1", False)
    assert job.output == "/s/50%%/du.out"  # sbatch reads % as the begin of a pattern
    own = made('#!/bin/bash\n#SBATCH -o a.out -D /x --comment="team a" --requeue\nsrun x\n')
    assert (own.folder, own.output, own.requeue) == ("", "", True)
    assert own.comment == "team a c:1"
    assert "--chdir" not in " ".join(submitting.argv(own))
