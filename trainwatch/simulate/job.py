"""One attempt of a simulated run: what its lines need to know."""

from functools import cache

import msgspec

from trainwatch.simulate.chance import Chance
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step
from trainwatch.simulate.timeline import Timeline

_TASKS = 10  # of a job array: --array=1-10%1
SAVE_PATH = "checkpoints"  # relative, so that the same seed gives the same bytes in any folder
_RACKS, _BLADES, _SLOTS = 9, 8, 9
_NODES = 11  # stream of chance


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt. Times `t` are simulated seconds; `timeline` shows them."""

    scenario: Scenario
    timeline: Timeline
    chance: Chance
    attempt: int  # from 0
    began: float  # t
    first_array_id: int
    target_iteration: int
    flops_per_sample: float  # as the flavour counts them for the TFLOPs it prints
    loaded_iteration: int = 0  # 0: from random weights

    @property
    def tasks(self) -> int:
        """Tasks of the job array; another one is submitted when they are used up."""
        return self.scenario.attempts or _TASKS

    @property
    def task(self) -> int:
        """Which task of the array this is, from 1."""
        return self.attempt % self.tasks + 1

    @property
    def array_id(self) -> int:
        """The job id of the array."""
        return self.first_array_id + self.attempt // self.tasks * 2 * self.tasks

    @property
    def next_array_id(self) -> int:
        """The job id of the array after it."""
        return self.array_id + 2 * self.tasks

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that this attempt was given, in order, each once."""
        return _nodes(_first_node(self), self.scenario.nodes)

    @property
    def job_id(self) -> int:
        """The job id of this task, as Slurm's own messages say it."""
        return self.array_id + self.task

    def tflops(self, step: Step) -> float:
        """TFLOPs a GPU."""
        gpus = self.scenario.cluster.gpus
        return self.flops_per_sample * step.batch / (step.step_time_s * gpus * 1e12)

    def node_of(self, rank: int) -> str:
        """The node that a rank runs on."""
        return _node_at(self, rank // self.scenario.cluster.gpus_per_node)

    def local_rank(self, rank: int) -> int:
        """The rank's place on its node."""
        return rank % self.scenario.cluster.gpus_per_node


@cache  # the queue is asked a dozen times an hour
def _nodes(first: int, count: int) -> tuple[str, ...]:
    return tuple(_node(first + index) for index in range(count))


def _node_at(job: Job, index: int) -> str:
    return _node(_first_node(job) + index)


def _first_node(job: Job) -> int:
    place = 0 if job.scenario.same_nodes else job.attempt
    return job.chance.pick(_NODES, place, _RACKS * _BLADES * _SLOTS)


def _node(number: int) -> str:
    """`r7i4n5`: rack, blade chassis, node."""
    rack, rest = divmod(number, _BLADES * _SLOTS)
    return f"r{rack + 1}i{rest // _SLOTS}n{rest % _SLOTS}"
