"""What is simulated, as a value: the model, the cluster, the cadence of a run, and what goes wrong.

The trap: a global batch size that MBS * DP does not divide is a job that never starts; tests/simulate
hold the table of scenarios to it.
"""

import math
from collections.abc import Mapping
from typing import Literal

import msgspec

from trainwatch.core import formulas
from trainwatch.core.formulas import Shape
from trainwatch.core.model.policies import Round
from trainwatch.core.schedule import Rampup
from trainwatch.simulate.faults.ends import Hang
from trainwatch.simulate.faults.table import Fault

FlavourName = Literal["megatron-deepspeed", "megatron-core", "torchtitan"]


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of the model, as its arguments say it."""

    name: str
    num_layers: int
    hidden_size: int
    num_attention_heads: int
    seq_length: int  # tokens
    vocab_size: int  # of the tokenizer, before padding
    ffn_hidden_size: int | None = None  # None: four times hidden
    num_query_groups: int | None = None  # None: as many as heads
    glu: bool = False


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """The GPUs, and how the model is split over them."""

    gpus: int
    gpus_per_node: int = 8
    gpu: str = "NVIDIA A100-SXM4-80GB"  # as nvidia-smi says it
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    tflops: float = 150.0  # a GPU, with a full pipeline


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One run. Intervals are iterations, times are simulated seconds, sizes are samples."""

    description: str
    flavour: FlavourName
    name: str  # of the job in the queue
    model: Model
    cluster: Cluster
    micro_batch_size: int
    global_batch_size: int
    rampup: tuple[int, int, int] | None = None  # start, increment, samples
    train_samples: int
    precision: Literal["bf16", "fp16"] = "bf16"
    recompute: bool = True
    learning_rate: float = 1e-4
    warmup_samples: int = 100_000
    log_interval: int = 1
    eval_interval: int = 200
    save_interval: int = 100
    validation_sets: int = 1
    startup_s: float = 240.0  # from the job's start to the first iteration's
    eval_s: float = 60.0  # all validation sets together
    save_s: float = 40.0  # while training waits
    async_save_s: float | None = None  # after that, while training goes on; None: saves are not
    slow_share: float = 0.0  # of saves and evaluations that take 5 to 10 times as long
    queue_s: float = 300.0  # waiting, before each attempt
    exit_duration_min: float | None = None  # the job saves and exits by itself after so long
    time_limit_s: float = 72_000.0  # Slurm ends it after so long
    throughput_noise: float = 0.01  # the speed varies by this share, up and down
    daily_drift: bool = False  # most of it through the day and between allocations
    chatter: float = 0.2  # lines of other ranks an iteration
    held_back_s: float = 0.0  # the launcher holds output back for so long, then lets all go at once
    final_loss: float = 1.75  # that the training loss falls towards
    first_iteration: int = (
        0  # the checkpoint that the first attempt goes on from; 0: random weights
    )
    clusters: tuple[tuple[int, Cluster], ...] = ()  # from this attempt (from 0) on, another cluster
    same_nodes: bool = False  # every attempt is given the same nodes
    printed_rate_factor: float = 1.0  # what the log says of samples per second, wrong by this
    configured: Mapping[
        str, float
    ] = {}  # what the user asked for: facts by name, as in a configuration
    rounds: tuple[Round, ...] = ()  # of the training, as the user configured them
    chained: bool = False  # the next job array is queued while the last task of this one runs
    faults: tuple[Fault, ...] = ()
    attempts: int | None = None  # nothing is queued after so many; None: always another one
    iterations: int  # the last one that is written

    @property
    def data_parallel(self) -> int:
        """Replicas of the model."""
        return self.cluster.gpus // (self.cluster.tensor_parallel * self.cluster.pipeline_parallel)

    @property
    def nodes(self) -> int:
        """Nodes of the job."""
        return self.cluster.gpus // self.cluster.gpus_per_node

    @property
    def padded_vocab_size(self) -> int:
        """The vocabulary as Megatron pads it, so that tensor parallelism divides it."""
        multiple = 128 * self.cluster.tensor_parallel
        return -(-self.model.vocab_size // multiple) * multiple

    @property
    def shape(self) -> Shape:
        """The model's shape for the formulas."""
        model = self.model
        return Shape(
            layers=model.num_layers,
            hidden=model.hidden_size,
            vocab=self.padded_vocab_size,
            seq=model.seq_length,
            ffn=model.ffn_hidden_size,
            heads=model.num_attention_heads,
            kv_heads=model.num_query_groups,
            glu=model.glu,
        )

    @property
    def parameters(self) -> float:
        """Parameters of a GPT with one embedding for both ends, biases and learned positions."""
        return formulas.model_size(self.shape)

    @property
    def parameters_llama(self) -> float:
        """Parameters with an output layer of its own, rotary positions, and norms without biases."""
        shape = self.shape
        layer = (shape.attention + shape.mlp) * shape.hidden**2
        norms = (2 * shape.layers + 1) * shape.hidden
        return shape.layers * layer + 2 * self.model.vocab_size * shape.hidden + norms

    @property
    def schedule(self) -> Rampup:
        """The batch size by samples trained; without a ramp-up it is the same all along."""
        if self.rampup is None:
            return Rampup(self.global_batch_size, 0, 0, self.global_batch_size)
        return Rampup(*self.rampup, self.global_batch_size)

    @property
    def target_iteration(self) -> int:
        """The iteration that training ends with."""
        return self.schedule.iterations(self.train_samples)


def on_cluster(scenario: Scenario, attempt: int) -> Scenario:
    """The scenario with the cluster that this attempt (from 0) is given."""
    cluster = scenario.cluster
    for first, other in scenario.clusters:
        if attempt >= first:
            cluster = other
    return msgspec.structs.replace(scenario, cluster=cluster, clusters=())


def hurried(scenario: Scenario, lead: int = 40) -> Scenario:
    """The same run from `lead` iterations before its first fault: to be watched live, or in a demo.

    Nobody restarts a job that hangs: a watcher needs the time that the log's own step times ask for.
    """
    struck = [place for fault in scenario.faults if (place := _place(fault)) is not None]
    first = min(struck, default=0) - lead
    if not scenario.first_iteration or first <= scenario.first_iteration:
        return scenario
    faults = tuple(_for_good(fault) for fault in scenario.faults)
    return msgspec.structs.replace(scenario, first_iteration=first, faults=faults)


def _for_good(fault: Fault) -> Fault:
    if isinstance(fault, Hang):
        return msgspec.structs.replace(fault, hours=math.inf)
    return fault


def _place(fault: Fault) -> int | None:
    place = getattr(fault, "iteration", None) or getattr(fault, "first", None)
    return place if isinstance(place, int) else None


def as_flavour(scenario: Scenario, flavour: FlavourName) -> Scenario:
    """The same run as another framework would print it."""
    if flavour == "torchtitan":  # knows neither a ramp-up nor an exit by the clock
        scenario = msgspec.structs.replace(scenario, rampup=None, exit_duration_min=None)
    return msgspec.structs.replace(scenario, flavour=flavour)
