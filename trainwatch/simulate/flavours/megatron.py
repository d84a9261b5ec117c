"""What Megatron-DeepSpeed and Megatron-Core print in the same words."""

import math
from collections.abc import Iterator

from trainwatch.core import formulas
from trainwatch.simulate.job import SAVE_PATH, Job


def datetime_line(job: Job, t: float, what: str) -> str:
    """Megatron's print_datetime: `[after dataloaders are built] datetime: 2021-05-23 08:41:05 `."""
    return f"[{what}] datetime: {job.timeline.stamp(t)} \n"


def vocabulary(job: Job) -> str:
    """The padding of the vocabulary."""
    size, padded = job.scenario.model.vocab_size, job.scenario.padded_vocab_size
    return (
        f" > padded vocab (size: {size}) with {padded - size} dummy tokens (new size: {padded})\n"
    )


def shards(job: Job) -> Iterator[str]:
    """Parameters of each model-parallel rank: the first and last stage hold the embedding, too."""
    scenario, shape = job.scenario, job.scenario.shape
    tensor, pipeline = scenario.cluster.tensor_parallel, scenario.cluster.pipeline_parallel
    embedding = shape.vocab * shape.hidden
    layers = (formulas.model_size(shape) - embedding) / pipeline
    for stage in range(pipeline):
        ends = (stage == 0) + (stage == pipeline - 1 and pipeline > 1)
        size = round((layers + ends * embedding) / tensor)
        for rank in range(tensor):
            yield (
                " > number of parameters on (tensor, pipeline) model parallel rank "
                f"({rank}, {stage}): {size}\n"
            )


def datasets(job: Job) -> str:
    """The data sets that are built."""
    samples = job.scenario.train_samples
    return (
        "> building train, validation, and test datasets ...\n"
        " > datasets target sizes (minimum size):\n"
        f"    train:      {samples}\n"
        f"    validation: {samples // 1000}\n"
        "    test:       10240\n"
        "> building train, validation, and test datasets for GPT ...\n"
        " > building dataset index ...\n"
        "    reading sizes...\n    reading pointers...\n    reading document index...\n"
        " > finished creating indexed dataset in 0.032667 seconds\n"
        "    number of documents: 304230423\n"
        "    total number of samples: 197983345\n    total number of epochs: 1\n"
        "> finished creating GPT datasets ...\n"
    )


def no_checkpoint() -> str:
    """The very first attempt finds nothing to load."""
    return (
        f"WARNING: could not find the metadata file {SAVE_PATH}/latest_checkpointed_iteration.txt \n"
        "    will not load any checkpoints and will start from random\n"
    )


def validation(title: str, loss: float) -> tuple[str, str, str]:
    """The framed line of one validation set."""
    perplexity = math.exp(min(20.0, loss))
    line = f" {title} | lm loss value: {loss:.6E} | lm loss PPL: {perplexity:.6E} | "
    rule = "-" * (len(line) + 1)
    return rule, line, rule


def across_ranks(name: str, seconds: float) -> str:
    """A timer of Megatron-Core: the fastest and the slowest rank."""
    most = seconds * 1000
    return (
        "(min, max) time across ranks (ms):\n"
        f"    {(name + ' ').ljust(48, '.')}: ({most * 0.9996:.2f}, {most:.2f})\n"
    )


def exited(job: Job, t: float, minutes: float) -> str:
    """The exit by the clock."""
    return datetime_line(job, t, f"exiting program after {minutes} minutes")


def completed(job: Job, t: float) -> str:
    """The end of training."""
    return datetime_line(job, t, "after training is done")
