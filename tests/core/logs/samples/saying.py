"""How a line is said to be what it is: short words for the records of the samples."""

from tests.core.logs.reading import at
from trainwatch.core.model.records import Fault, Iteration, Record, SlurmNotice

Said = dict[int, list[Record]]


def fault(kind: str, role: str, **more: object) -> Fault:
    return Fault(kind=kind, role=role, **more)  # type: ignore[arg-type]


def notice(job_id: str, why: str, stamp: str, node: str, *, step: bool = False) -> SlurmNotice:
    return SlurmNotice(job_id=job_id, why=why, stamp=at(stamp), node=node, step=step)  # type: ignore[arg-type]


def part(name: str, **values: float) -> Iteration:
    return Iteration(format=name, iteration=None, part=True, values=values)
