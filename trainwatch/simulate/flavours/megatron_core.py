"""Megatron-Core of 2026: a stamp with microseconds before each iteration, timers across ranks, torch_dist."""

from collections.abc import Iterator, Sequence

from trainwatch.core import formulas
from trainwatch.simulate import arguments, chatter
from trainwatch.simulate.flavours import megatron
from trainwatch.simulate.flavours.flavour import Flavour, Said
from trainwatch.simulate.happenings import Checkpoint
from trainwatch.simulate.job import SAVE_PATH, Job
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step

_SHARDS = 8  # ranks whose files are made; there are hundreds in real life


def _startup(job: Job) -> Iterator[Said]:
    at = [job.began + job.scenario.startup_s * tenth / 10 for tenth in range(11)]
    yield at[0], chatter.shell_trace(job) + chatter.nvidia_smi(job)
    yield at[1], chatter.threads_warning(job)
    yield at[2], _world(job) + arguments.megatron_core(job)
    yield at[3], _initialized(job)
    for index, line in enumerate(chatter.nccl(job, "")):
        yield at[3] + (at[5] - at[3]) * min(1.0, index / 640), line
    yield at[5], megatron.datetime_line(job, at[5], "after megatron is initialized")
    yield at[5], "building GPT model ...\n" + "".join(megatron.shards(job))
    yield at[7], _loading(job)
    yield at[8], _loaded(job, at[8])
    yield at[9], megatron.datasets(job)
    yield at[10], _begins(job, at[10])


def _world(job: Job) -> str:
    cluster = job.scenario.cluster
    kind = "bfloat16" if job.scenario.precision == "bf16" else "float16"
    return (
        f"using world size: {cluster.gpus}, data-parallel size: {job.scenario.data_parallel}, "
        "context-parallel size: 1, hierarchical context-parallel sizes: None, "
        f"tensor-model-parallel size: {cluster.tensor_parallel}, "
        f"pipeline-model-parallel size: {cluster.pipeline_parallel}\n"
        "Number of virtual stages per pipeline stage: None\n"
        "accumulate and all-reduce gradients in fp32 for bfloat16 data type.\n"
        f"using torch.{kind} for parameters ...\n"
    )


def _initialized(job: Job) -> str:
    cluster = job.scenario.cluster
    return (
        f"> building HuggingFaceTokenizer tokenizer ...\n{megatron.vocabulary(job)}"
        "WARNING: one_logger package is required to enable e2e metrics tracking.\n"
        "> initializing torch distributed ...\n"
        f"> initialized tensor model parallel with size {cluster.tensor_parallel}\n"
        f"> initialized pipeline model parallel with size {cluster.pipeline_parallel}\n"
        "> setting random seeds to 42 ...\n> compiling dataset index builder ...\n"
        ">>> done with dataset index builder. Compilation time: 0.041 seconds\n"
    )


def _loading(job: Job) -> str:
    if not job.loaded_iteration:
        return megatron.no_checkpoint()
    return f" loading distributed checkpoint from {SAVE_PATH} at iteration {job.loaded_iteration}\n"


def _loaded(job: Job, t: float) -> str:
    done = ""
    if job.loaded_iteration:
        cluster = job.scenario.cluster
        done = (
            f"  successfully loaded checkpoint from {SAVE_PATH} "
            f"[ t 1/{cluster.tensor_parallel}, p 1/{cluster.pipeline_parallel} ] "
            f"at iteration {job.loaded_iteration}\n"
        )
    timer = megatron.across_ranks("load-checkpoint", job.scenario.startup_s * 0.2)
    built = "after model, optimizer, and learning rate scheduler are built"
    return done + timer + megatron.datetime_line(job, t, built)


def _begins(job: Job, t: float) -> str:
    setup = megatron.across_ranks("model-and-optimizer-setup", job.scenario.startup_s * 0.5)
    return (
        f"{megatron.datetime_line(job, t, 'after dataloaders are built')}done with setup ...\n"
        f"{setup}training ...\nSetting rerun_state_machine.current_iteration to {job.loaded_iteration}...\n"
        f"{megatron.datetime_line(job, t, 'before the start of training step')}"
        f"Total number of parameters in billions: {job.scenario.parameters_llama / 1e9:.2f}\n"
    )


def _nothing(job: Job, t: float, step: Step) -> str:
    return ""


def _iteration(job: Job, t: float, step: Step) -> str:
    usual = 32768.0 if job.scenario.precision == "fp16" else 1.0
    loss = f" lm loss: {step.loss:.6E} |" if step.tells_loss else ""
    return (
        f" [{job.timeline.stamp_us(t)}] iteration {step.iteration:8d}/{job.target_iteration:8d} |"
        f" consumed samples: {step.samples:12d} |"
        f" elapsed time per iteration (ms): {step.step_time_s * 1000:.1f} |"
        f" throughput per GPU (TFLOP/s/GPU): {job.tflops(step):.1f} |"
        f" learning rate: {step.learning_rate:.6E} |"
        f" global batch size: {step.batch:5d} |"
        f"{loss} loss scale: {step.loss_scale or usual:.1f} |"
        f" grad norm: {step.grad_norm:.3f} |"
        f" number of skipped iterations: {step.skipped:3d} | number of nan iterations:   0 |\n"
    )


def _validations(
    job: Job, t: float, iteration: int, losses: Sequence[float], seconds: float
) -> str:
    names = [""] if len(losses) == 1 else [f"-{index}" for index in range(len(losses))]
    said = [megatron.across_ranks("evaluate", seconds)]
    for name, loss in zip(names, losses, strict=True):
        framed = megatron.validation(f"validation{name} loss at iteration {iteration}", loss)
        said.extend(f"{line}\n" for line in framed)
    return "".join(said)


def _save_began(job: Job, t: float, iteration: int) -> str:
    stamp = job.timeline.stamp_us(t)
    return (
        f"[{stamp}] saving checkpoint at iteration {iteration:7d} to {SAVE_PATH} in torch_dist format\n"
        "INFO:megatron.core.dist_checkpointing.strategies.fully_parallel:Storing distributed optimizer "
        "sharded state of type fully_sharded_model_space\n"
    )


def _save_done(job: Job, t: float, iteration: int, seconds: float) -> str:
    cluster = job.scenario.cluster
    return (
        f"  [{job.timeline.stamp_us(t)}] successfully saved checkpoint from iteration {iteration:7d} "
        f"to {SAVE_PATH} [ t 1/{cluster.tensor_parallel}, p 1/{cluster.pipeline_parallel} ]\n"
        f"{megatron.across_ranks('save-checkpoint', seconds)}"
    )


def _checkpoint(scenario: Scenario, iteration: int) -> Checkpoint:
    return Checkpoint(
        name=f"iter_{iteration:07d}",
        iteration=iteration,
        shards=tuple(f"__{rank}_{part}.distcp" for rank in range(_SHARDS) for part in range(2)),
        closing=("common.pt", "metadata.json", ".metadata"),
        trackers=(("latest_checkpointed_iteration.txt", str(iteration)),),
        bytes=round(formulas.checkpoint_bytes(scenario.parameters_llama)),
    )


def _flops_per_sample(scenario: Scenario) -> float:
    """Model FLOPs: what activations cost again is not counted."""
    return formulas.flops_per_iteration(scenario.shape, 1, recompute=False)


FLAVOUR = Flavour(
    said_by="",
    flops_per_sample=_flops_per_sample,
    startup=_startup,
    before=_nothing,
    iteration=_iteration,
    after=_nothing,
    validations=_validations,
    save_began=_save_began,
    save_done=_save_done,
    exited=megatron.exited,
    completed=megatron.completed,
    checkpoint=_checkpoint,
)
