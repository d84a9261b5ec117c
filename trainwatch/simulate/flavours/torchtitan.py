"""torchtitan: a logger's prefix, a colour for each field, tokens a second and device, no step time.

It knows no exit by the clock: Slurm's time limit ends its jobs. The last checkpoint is announced, and
nothing says that it is done but that the job goes on to its end.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from trainwatch.core import formulas
from trainwatch.simulate import chatter
from trainwatch.simulate.flavours.flavour import Flavour, Said
from trainwatch.simulate.happenings import Checkpoint
from trainwatch.simulate.job import SAVE_PATH, Job
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step

_SAID_BY = "[rank{rank}]:"
_SHARDS = 8  # ranks whose files are made; there are dozens in real life
_RED, _GREEN, _YELLOW, _BLUE = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m"
_MAGENTA, _CYAN, _RESET = "\x1b[35m", "\x1b[36m", "\x1b[39m"
_ORANGE, _TURQUOISE = "\x1b[38;2;180;60;0m", "\x1b[38;2;54;234;195m"
_MEMORY = f"{_TURQUOISE}memory: 52.78GiB(66.65%)  "


def _info(job: Job, t: float, text: str) -> str:
    return f"[rank0]:[titan] {job.timeline.stamp_ms(t)} - root - INFO - {text}\n"


def _startup(job: Job) -> Iterator[Said]:
    at = [job.began + job.scenario.startup_s * tenth / 10 for tenth in range(11)]
    yield at[0], chatter.shell_trace(job) + chatter.nvidia_smi(job)
    yield at[1], chatter.threads_warning(job)
    for index, line in enumerate(chatter.nccl(job, _SAID_BY)):
        yield at[2] + (at[3] - at[2]) * min(1.0, index / 640), line
    for index, text in enumerate(_building(job)):
        t = at[3] + (at[7] - at[3]) * index / 12
        yield t, _info(job, t, text)
    yield at[7], _info(job, at[7], _initialized(job))
    if job.loaded_iteration:
        step = f"{SAVE_PATH}/step-{job.loaded_iteration}"
        yield at[8], _info(job, at[8], f"Loading the checkpoint from {step}.")
        seconds = at[9] - at[8]
        yield at[9], _info(job, at[9], f"Finished loading the checkpoint in {seconds:.2f} seconds.")
    yield at[10], _info(job, at[10], f"Training starts at step {job.loaded_iteration + 1}.")


def _building(job: Job) -> Iterator[str]:
    scenario, model, cluster = job.scenario, job.scenario.model, job.scenario.cluster
    yield f"Starting job: {model.name} pretraining"
    yield "[GC] Initial GC collection 0.00 seconds"
    yield (
        f"Building device mesh with parallelism: pp={cluster.pipeline_parallel}, dp_replicate=1, "
        f"dp_shard={scenario.data_parallel}, cp=1, tp={cluster.tensor_parallel}, ep=1, etp=1"
    )
    yield "Loading tokenizer from tokenizer.json"
    yield (
        f"Building {model.name} with TransformerModelArgs(_enforced='This field is used to enforce all "
        f"fields have defaults.', dim={model.hidden_size}, n_layers={model.num_layers}, "
        f"n_heads={model.num_attention_heads}, n_kv_heads={model.num_query_groups}, "
        f"vocab_size={model.vocab_size}, multiple_of=1024, ffn_dim_multiplier=1.3, norm_eps=1e-05, "
        f"rope_theta=500000, max_seq_len={model.seq_length}, depth_init=True, use_flex_attn=False, "
        "attn_mask_type='causal', eos_id=0)"
    )
    yield f"CUDA capacity: {cluster.gpu} with 79.11GiB memory"
    parameters = f"size: {round(scenario.parameters_llama):,} total parameters"
    yield f"{_BLUE}Model {model.name} {_RED}{parameters}{_RESET}"
    yield "Applied selective activation checkpointing to the model"
    yield "Applied FSDP to the model"
    yield f"Peak FLOPS used for computing MFU: {_peak_flops(cluster.gpu):.3e}"
    yield "CUDA memory usage for model: 1.04GiB(1.32%)"
    yield f"Checkpointing active. Checkpoints will be loaded from and saved to {SAVE_PATH}"
    yield "Mixed precision training is handled by fully_shard"


def _initialized(job: Job) -> str:
    scenario = job.scenario
    each = scenario.micro_batch_size * scenario.data_parallel
    warmup = scenario.warmup_samples // scenario.global_batch_size
    return (
        f"Trainer is initialized with local batch size {scenario.micro_batch_size}, "
        f"global batch size {scenario.global_batch_size}, "
        f"gradient accumulation steps {scenario.global_batch_size // each}, "
        f"sequence length {scenario.model.seq_length}, "
        f"total steps {job.target_iteration} (warmup {warmup})"
    )


def _before(job: Job, t: float, step: Step) -> str:
    return ""


def _iteration(job: Job, t: float, step: Step) -> str:
    tps, tflops = _tokens_per_s(job, step), job.tflops(step)
    mfu = 100 * tflops * 1e12 / _peak_flops(job.scenario.cluster.gpu)
    return _info(
        job,
        t,
        f"{_RED}step: {step.iteration:2}  {_GREEN}loss: {step.loss:7.4f}  "
        f"{_ORANGE}grad_norm: {step.grad_norm:7.4f}  {_MEMORY}"
        f"{_BLUE}tps: {round(tps):,}  {_CYAN}tflops: {tflops:,.2f}  {_MAGENTA}mfu: {mfu:.2f}%{_RESET}",
    )


def _after(job: Job, t: float, step: Step) -> str:
    if step.iteration != 1:
        return ""
    return _info(job, t, "Synchronizing and adjusting timeout for all ProcessGroups to 0:01:40")


def _validations(
    job: Job, t: float, iteration: int, losses: Sequence[float], seconds: float
) -> str:
    tps = 10 * job.scenario.model.seq_length / seconds
    return "".join(
        _info(
            job,
            t,
            f"{_YELLOW}validate step: {iteration:2}  {_GREEN}loss: {loss:7.4f}  {_MEMORY}"
            f"{_BLUE}tps: {round(tps):,}{_RESET}",
        )
        for loss in losses[:1]
    )


def _save_began(job: Job, t: float, iteration: int) -> str:
    said = _info(job, t, "Saving the checkpoint (or staging if async is enabled).")
    if iteration == job.target_iteration:
        said += _info(
            job, t, f"Saving a full checkpoint in torch.float32 at last step, step {iteration}."
        )
    return said


def _save_done(job: Job, t: float, iteration: int, seconds: float) -> str:
    if iteration == job.target_iteration:
        return ""
    done = "Finished saving the checkpoint (or staging if async is enabled)"
    return _info(job, t, f"{done}in {seconds:.2f} seconds.")


def _exited(job: Job, t: float, minutes: float) -> str:
    return ""


def _completed(job: Job, t: float) -> str:
    sleeping = _info(job, t, "Sleeping 2 seconds for other ranks to complete")
    return sleeping + _info(job, t, "Training completed")


def _checkpoint(scenario: Scenario, iteration: int) -> Checkpoint:
    return Checkpoint(
        name=f"step-{iteration}",
        iteration=iteration,
        shards=tuple(f"__{rank}_0.distcp" for rank in range(_SHARDS)),
        closing=(".metadata",),
        bytes=round(formulas.checkpoint_bytes(scenario.parameters_llama)),
    )


def _tokens_per_s(job: Job, step: Step) -> float:
    """Of each device."""
    tokens = step.batch * job.scenario.model.seq_length
    return tokens / (step.step_time_s * job.scenario.cluster.gpus)


def _flops_per_sample(scenario: Scenario) -> float:
    """6 FLOPs a parameter and token without the embedding, and attention."""
    shape = scenario.shape
    weights = scenario.parameters_llama - scenario.model.vocab_size * shape.hidden
    return shape.seq * (6 * weights + 12 * shape.layers * shape.hidden * shape.seq)


@cache
def _peak_flops(gpu: str) -> float:
    """Of the GPU that is named; an A100's where the formulas' table does not have it."""
    words = gpu.replace("-", " ").split()
    known = [formulas.peak_tflops(word, "bfloat16") for word in words]
    return next((peak for peak in known if peak), 312.0) * 1e12


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
    logs_first=True,
    counts_save=True,
)
