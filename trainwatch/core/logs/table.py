"""All log formats, in the order in which they are tried on a line.

Formats of one group exclude each other: Megatron-Core's lines would also satisfy Megatron-LM.
To add a format, write a file beside this one and name its FORMAT here.
"""

from trainwatch.core.logs import (
    arguments,
    checkpoints,
    composer,
    deepspeed,
    dllogger,
    ends,
    fairseq,
    faults,
    gpt_neox,
    hf_trainer,
    idefics,
    llm_c,
    megatron_core,
    megatron_deepspeed,
    megatron_lm,
    mllog,
    modded_nanogpt,
    nanotron,
    nemo,
    olmo,
    stragglers,
    torchtitan,
)
from trainwatch.core.logs.format import Format

FORMATS: tuple[Format, ...] = (
    gpt_neox.FORMAT,
    megatron_core.FORMAT,
    megatron_deepspeed.FORMAT,
    megatron_lm.FORMAT,
    deepspeed.FORMAT,
    torchtitan.FORMAT,
    nanotron.FORMAT,
    nemo.FORMAT,
    hf_trainer.FORMAT,
    olmo.FORMAT,
    composer.FORMAT,
    idefics.FORMAT,
    mllog.FORMAT,
    dllogger.FORMAT,
    llm_c.FORMAT,
    modded_nanogpt.FORMAT,
    fairseq.FORMAT,
    hf_trainer.BARS,
    arguments.EVENTS,
    arguments.DUMP,
    arguments.LAUNCHER,
    arguments.GPU,
    checkpoints.EVENTS,
    checkpoints.LOADS,
    checkpoints.VALIDATIONS,
    deepspeed.EVENTS,
    deepspeed.PROFILER,
    torchtitan.EVENTS,
    nanotron.EVENTS,
    nemo.EVENTS,
    hf_trainer.EVENTS,
    olmo.EVENTS,
    llm_c.EVENTS,
    ends.EXITS,
    ends.SLURM,
    stragglers.FORMAT,
    faults.FORMAT,
)

# The richer format speaks for an attempt in which two print each iteration.
SECONDARY = frozenset({"deepspeed", "bar"})
