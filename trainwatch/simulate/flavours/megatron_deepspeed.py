"""Megatron-DeepSpeed of 2022, under torchrun --tee 3: `[default7]:` before every line of a rank.

Iteration lines hold no time stamp; the last rank prints them, rank 0 the rest. The time of a save or an
evaluation is part of the next iteration's.
"""

from collections.abc import Iterator, Sequence

from trainwatch.core import formulas
from trainwatch.simulate import arguments, chatter
from trainwatch.simulate.flavours import megatron
from trainwatch.simulate.flavours.flavour import Flavour, Said
from trainwatch.simulate.happenings import Checkpoint
from trainwatch.simulate.job import SAVE_PATH, Job
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step

_SAID_BY = "[default{local}]:"
_STEPS_PER_PRINT = 10  # DeepSpeed's, from its configuration dump
_SHARDS = 8  # ranks whose files are made; there are hundreds in real life


def _rank0(text: str) -> str:
    return "".join(f"[default0]:{line}\n" for line in text.splitlines())


def _last(job: Job, text: str) -> str:
    said = f"[default{job.scenario.cluster.gpus_per_node - 1}]:"
    return "".join(f"{said}{line}\n" for line in text.splitlines())


def _startup(job: Job) -> Iterator[Said]:
    at = [job.began + job.scenario.startup_s * tenth / 10 for tenth in range(11)]
    yield at[0], chatter.shell_trace(job) + chatter.nvidia_smi(job)
    yield at[1], chatter.threads_warning(job)
    yield at[2], _rank0(_world(job) + arguments.megatron_deepspeed(job))
    yield at[3], _rank0(_initialized(job))
    for index, line in enumerate(chatter.nccl(job, _SAID_BY)):
        yield at[3] + (at[5] - at[3]) * min(1.0, index / 640), line
    yield at[5], _rank0(megatron.datetime_line(job, at[5], "after megatron is initialized"))
    yield at[5], _rank0("building GPT model ...\n") + _rank0("".join(megatron.shards(job)))
    yield at[6], _rank0(arguments.deepspeed_config(job, at[6]))
    yield at[7], _loading(job)
    yield at[8], _rank0(_loaded(job, at[8]))
    yield at[9], _rank0(megatron.datasets(job))
    yield at[10], _rank0(_begins(job, at[10]))


def _world(job: Job) -> str:
    cluster = job.scenario.cluster
    kind = "bfloat16" if job.scenario.precision == "bf16" else "float16"
    return (
        f"using world size: {cluster.gpus}, data-parallel-size: {job.scenario.data_parallel}, "
        f"tensor-model-parallel size: {cluster.tensor_parallel}, "
        f"pipeline-model-parallel size: {cluster.pipeline_parallel} \n"
        f"using torch.{kind} for parameters ...\n"
    )


def _initialized(job: Job) -> str:
    scenario = job.scenario
    ramp = scenario.rampup
    batches = (
        f"will use batch size rampup starting from global batch size {ramp[0]} to global batch size "
        f"{scenario.global_batch_size} with batch size increments {ramp[1]} over {ramp[2]} samples.\n"
        if ramp
        else "setting number of micro-batches to constant\n"
    )
    return (
        f"{batches}> building PretrainedFromHF tokenizer ...\n{megatron.vocabulary(job)}"
        "> initializing torch distributed ...\n"
        f"> initializing tensor model parallel with size {scenario.cluster.tensor_parallel}\n"
        f"> initializing pipeline model parallel with size {scenario.cluster.pipeline_parallel}\n"
        "> setting random seeds to 42 ...\n> compiling dataset index builder ...\n"
        ">>> done with dataset index builder. Compilation time: 0.106 seconds\n"
    )


def _loading(job: Job) -> str:
    if not job.loaded_iteration:
        return _rank0(megatron.no_checkpoint())
    return _rank0(f" loading checkpoint from {SAVE_PATH} at iteration {job.loaded_iteration}\n")


def _loaded(job: Job, t: float) -> str:
    done = ""
    if job.loaded_iteration:
        done = f"  successfully loaded checkpoint from {SAVE_PATH} at iteration {job.loaded_iteration}\n"
    built = "after model, optimizer, and learning rate scheduler are built"
    seconds = job.scenario.startup_s * 0.2
    return f"{done}time (ms) | load-checkpoint: {seconds * 1000:.2f}\n" + megatron.datetime_line(
        job, t, built
    )


def _begins(job: Job, t: float) -> str:
    return (
        f"{megatron.datetime_line(job, t, 'after dataloaders are built')}"
        "time (ms) | model-and-optimizer-setup: 102744.35 | train/valid/test-data-iterators-setup: 815.33\n"
        "done with setup ...\ntraining ...\n"
        f"{megatron.datetime_line(job, t, 'before the start of training step')}"
    )


def _before(job: Job, t: float, step: Step) -> str:
    """DeepSpeed's own line, which repeats what Megatron's says."""
    if step.skipped and step.loss_scale:
        return (
            "[default0]:[deepspeed] OVERFLOW! Rank 0 Skipping step. "
            f"Attempted loss scale: {step.loss_scale * 2:.0f}, reducing to {step.loss_scale:.0f}\n"
        )
    if step.iteration % _STEPS_PER_PRINT:
        return ""
    rate = step.batch / step.step_time_s
    return (
        f"[default0]:steps: {step.iteration} loss: {step.loss:0.4f} "
        f"iter time (s): {step.step_time_s:0.3f} samples/sec: {rate:0.3f}\n"
    )


def _iteration(job: Job, t: float, step: Step) -> str:
    scenario = job.scenario
    scale = (
        f" loss scale: {step.loss_scale or 32768.0:.1f} |" if scenario.precision == "fp16" else ""
    )
    loss = f" lm loss: {step.loss:.6E} |" if step.tells_loss else ""
    rate = step.batch / step.step_time_s * scenario.printed_rate_factor
    return (
        f"[default{scenario.cluster.gpus_per_node - 1}]:"
        f" iteration {step.iteration:8d}/{job.target_iteration:8d} |"
        f" consumed samples: {step.samples:12d} |"
        f" consumed tokens: {step.samples * scenario.model.seq_length:12d} |"
        f" elapsed time per iteration (s): {step.step_time_s:.2f} |"
        f" learning rate: {step.learning_rate:.3E} |"
        f" global batch size: {step.batch:5d} |"
        f"{loss}{scale}"
        f" grad norm: {step.grad_norm:.3f} |"
        f" num zeros: 0.0 | number of skipped iterations: {step.skipped:3d} |"
        " number of nan iterations:   0 |"
        f" samples per second: {rate:.3f} |"
        f" TFLOPs: {job.tflops(step):.2f} |\n"
    )


def _after(job: Job, t: float, step: Step) -> str:
    """Timers: with a pipeline DeepSpeed's engine does the work, and Megatron has none to tell of."""
    if job.scenario.cluster.pipeline_parallel > 1:
        return _last(job, "time (ms)")
    ms = step.step_time_s * 1000
    timers = (
        f"time (ms) | forward-compute: {ms * 0.31:.2f} | backward-compute: {ms * 0.58:.2f} | "
        f"backward-params-all-reduce: {ms * 0.06:.2f} | optimizer: {ms * 0.04:.2f} | "
        f"batch-generator: {ms * 0.001:.2f}"
    )
    return _last(job, timers)


def _validations(
    job: Job, t: float, iteration: int, losses: Sequence[float], seconds: float
) -> str:
    kind = "validation" if len(losses) == 1 else "valid"
    lines = [megatron.validation(f"{kind} loss at iteration {iteration}", loss) for loss in losses]
    return "".join(_last(job, "\n".join(framed)) for framed in lines)


def _save_began(job: Job, t: float, iteration: int) -> str:
    head = f"[{job.timeline.stamp_ms(t)}] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] "
    return _rank0(
        f"saving checkpoint at iteration {iteration:7d} to {SAVE_PATH}\n"
        f"[{job.timeline.stamp_ms(t)}] [INFO] [logging.py:68:log_dist] [Rank 0] [Torch] "
        f"Checkpoint global_step{iteration} is about to be saved!\n"
        f"{head}Saving {SAVE_PATH}/global_step{iteration}/layer_01-model_00-model_states.pt...\n"
    )


def _save_done(job: Job, t: float, iteration: int, seconds: float) -> str:
    head = f"[{job.timeline.stamp_ms(t)}] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] "
    done = _rank0(
        f"{head}Checkpoint global_step{iteration} is ready now!\n"
        f"  successfully saved checkpoint at iteration {iteration:7d} to {SAVE_PATH}\n"
    )
    return done + _last(job, f"time (ms) | save-checkpoint: {seconds * 1000:.2f}")


def _exited(job: Job, t: float, minutes: float) -> str:
    return _rank0(megatron.exited(job, t, minutes))


def _completed(job: Job, t: float) -> str:
    return _rank0(megatron.completed(job, t))


def _checkpoint(scenario: Scenario, iteration: int) -> Checkpoint:
    layers = [f"layer_{n:02}-model_00-model_states.pt" for n in range(1, _SHARDS + 1)]
    models = [f"mp_rank_{n:02}_model_states.pt" for n in range(_SHARDS)]
    states = [f"zero_pp_rank_{n}_mp_rank_00_optim_states.pt" for n in range(_SHARDS)]
    kind = "bf16_" if scenario.precision == "bf16" else ""
    return Checkpoint(
        name=f"global_step{iteration}",
        iteration=iteration,
        shards=(*layers, *models, *(kind + name for name in states)),
        trackers=(
            ("latest", f"global_step{iteration}"),
            ("latest_checkpointed_iteration.txt", str(iteration)),
        ),
        bytes=round(formulas.checkpoint_bytes(scenario.parameters)),
    )


def _flops_per_sample(scenario: Scenario) -> float:
    return formulas.flops_per_iteration(scenario.shape, 1, scenario.recompute)


FLAVOUR = Flavour(
    said_by=_SAID_BY,
    flops_per_sample=_flops_per_sample,
    startup=_startup,
    before=_before,
    iteration=_iteration,
    after=_after,
    validations=_validations,
    save_began=_save_began,
    save_done=_save_done,
    exited=_exited,
    completed=_completed,
    checkpoint=_checkpoint,
    counts_evaluation=True,
    counts_save=True,
)
