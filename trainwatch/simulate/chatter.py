"""What is not a record: shell trace, nvidia-smi, NCCL and warnings of many ranks, other people's cron.

Most bytes of a real log are these. The trap: they must look alike and say nothing, so no line here may
hold an error, a save or an iteration.
"""

from collections.abc import Iterator

from trainwatch.simulate.job import Job

_COUNT, _RANK, _KIND, _ADDRESS = 101, 102, 103, 104  # streams of chance
_PULSE_S = 3600.0  # between status lines of the users' own cron job
_NCCL_RANKS = 64  # that talk at start-up; the others are as talkative in real life

_NCCL = (
    "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/IB [3]mlx5_3:1/IB ; "
    "OOB ib0:10.148.{c}.{d}<0>",
    "NCCL INFO Using network IB",
    "NCCL INFO Setting affinity for GPU {local} to ff,fff00000",
    "NCCL INFO Trees [0] {up}/-1/-1->{rank}->{down} [1] {up}/-1/-1->{rank}->{down}",
    "NCCL INFO Channel 00/02 :    {rank}   {up}",
    "NCCL INFO Channel 00 : {down}[{bus}] -> {rank}[{bus}] [receive] via NET/IB/{local}/GDRDMA",
    "NCCL INFO Channel 01 : {rank}[{bus}] -> {up}[{bus}] [send] via NET/IB/{local}/GDRDMA",
    "NCCL INFO Connected all rings",
    "NCCL INFO threadThresholds 8/8/64 | 128/8/64 | 8/8/64",
    "NCCL INFO comm 0x14{c:02x}{d:02x}001060 rank {rank} nranks {gpus} cudaDev {local} busId {bus} "
    "- Init COMPLETE",
)
_ASIDE = (
    "/opt/conda/lib/python3.10/site-packages/torch/utils/checkpoint.py:31: UserWarning: None of the inputs "
    'have requires_grad=True. Gradients will be None\n{said}  warnings.warn("None of the inputs have '
    'requires_grad=True. Gradients will be None")',
    "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. "
    "Disabling parallelism to avoid deadlocks...",
    "{host} [{local}] NCCL INFO Channel 00 : {down}[{bus}] -> {rank}[{bus}] [receive] "
    "via NET/IB/{local}/GDRDMA",
    "{host} [{local}] NCCL INFO Channel 01 : {rank}[{bus}] -> {up}[{bus}] [send] "
    "via NET/IB/{local}/GDRDMA",
)
_DEEPSPEED_ASIDE = (
    *_ASIDE,
    "[{stamp}] [INFO] [utils.py:828:see_memory_usage] MA 24.71 GB         Max_MA 36.02 GB         "
    "CA 44.15 GB         Max_CA 44 GB ",
    "[{stamp}] [INFO] [utils.py:836:see_memory_usage] CPU Virtual Memory:  used = 71.{d} GB, percent = 14.2%",
)


def shell_trace(job: Job) -> str:
    """What `set -x` prints of the batch script, with the launcher's command line."""
    scenario, cluster = job.scenario, job.scenario.cluster
    launcher = (
        "python -u -m torch.distributed.run     "
        f"--nproc_per_node {cluster.gpus_per_node}     --nnodes {scenario.nodes}     "
        f"--rdzv_endpoint {job.nodes[0]}:6000     --rdzv_backend c10d     --max_restarts 0     --tee 3     "
    )
    return "".join(
        f"{line}\n"
        for line in (
            "+ source /opt/site/start-prod",
            "++ '[' -z function ']'",
            "++ module purge",
            "++ unset _mlshdbg",
            "++ eval 'echo ${LD_LIBRARY_PATH+x}'",
            "++ module load cuda/11.4.3 nccl/2.12.12-1-cuda",
            "Loading cuda/11.4.3",
            "  Loading requirement: gcc/8.3.1",
            "+ conda activate train",
            f"+ echo START TIME: {job.timeline.stamp(job.began)}",
            f"START TIME: {job.timeline.stamp(job.began)}",
            f"+ GPUS_PER_NODE={cluster.gpus_per_node}",
            f"+ NNODES={scenario.nodes}",
            f"+ MASTER_ADDR={job.nodes[0]}",
            "+ MASTER_PORT=6000",
            f"+ TP_SIZE={cluster.tensor_parallel}",
            f"+ PP_SIZE={cluster.pipeline_parallel}",
            f"+ MICRO_BATCH_SIZE={scenario.micro_batch_size}",
            f"+ GLOBAL_BATCH_SIZE={scenario.global_batch_size}",
            f"+ export 'LAUNCHER={launcher}'",
            f"+ LAUNCHER='{launcher}'",
            "+ nvidia-smi",
        )
    )


def nvidia_smi(job: Job) -> str:
    """The table of the first node's GPUs."""
    local = job.timeline.local(job.began)
    rule = "+-------------------------------+----------------------+----------------------+\n"
    head = (
        f"{local:%a %b %d %H:%M:%S %Y}       \n"
        "+-----------------------------------------------------------------------------+\n"
        "| NVIDIA-SMI 525.85.12    Driver Version: 525.85.12    CUDA Version: 12.0     |\n"
        "|-------------------------------+----------------------+----------------------+\n"
        "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
        "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
        "|===============================+======================+======================|\n"
    )
    gpu = job.scenario.cluster.gpu
    name = gpu if len(gpu) <= 18 else f"{gpu[:15]}..."
    rows = "".join(
        f"|   {index}  {name:18}  On   | 00000000:{0x1A + 7 * index:02X}:00.0 Off |"
        "                    0 |\n"
        f"| N/A   {40 + job.chance.pick(_KIND, index, 7)}C    P0    62W / 400W |"
        "      0MiB / 81920MiB |      0%      Default |\n"
        f"|                               |                      |                  N/A |\n{rule}"
        for index in range(job.scenario.cluster.gpus_per_node)
    )
    return head + rows


def threads_warning(job: Job) -> str:
    """torchrun's word on OMP_NUM_THREADS, from each node."""
    stars = "*****************************************\n"
    warning = (
        f"{stars}Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid "
        "your system being overloaded, please further tune the variable for optimal performance in your "
        f"application as needed. \n{stars}"
    )
    return warning * job.scenario.nodes


def nccl(job: Job, said_by: str) -> Iterator[str]:
    """What NCCL says while its rings are built. `said_by`: what a rank's lines begin with."""
    for rank in range(min(job.scenario.cluster.gpus, _NCCL_RANKS)):
        names = _names(job, rank, 100 * job.attempt + rank)
        for line in _NCCL:
            said = said_by.format(rank=rank, local=names["local"])
            yield f"{said}{names['host']} [{names['local']}] {line.format_map(names)}\n"


def aside(job: Job, t: float, place: int, said_by: str) -> str:
    """What other ranks say around an iteration: on average `scenario.chatter` lines."""
    whole, share = divmod(job.scenario.chatter, 1)
    count = int(whole) + (job.chance.uniform(_COUNT, place) < share)
    return "".join(line_of(job, t, 31 * place + n, said_by) for n in range(count))


def line_of(job: Job, t: float, place: int, said_by: str) -> str:
    """One line (a warning has two) of some rank."""
    rank = job.chance.pick(_RANK, place, job.scenario.cluster.gpus)
    names = _names(job, rank, place)
    said = said_by.format(rank=rank, local=names["local"])
    names |= {"said": said, "stamp": job.timeline.stamp_ms(t)}
    kinds = _DEEPSPEED_ASIDE if job.scenario.flavour == "megatron-deepspeed" else _ASIDE
    template = kinds[job.chance.pick(_KIND, place, len(kinds))]
    return f"{said}{template.format_map(names)}\n"


def pulse(job: Job, t: float) -> str:
    """The hourly line of the users' own status script, which writes into the same log."""
    stamp, began = job.timeline.stamp(t), job.timeline.stamp_slurm(job.began)
    hours, rest = divmod(int(t - job.began), 3600)
    return (
        f"[{stamp}] PULSE: {job.scenario.name} is running for {hours}:{rest // 60:02}:{rest % 60:02} "
        f"since {began} ({job.array_id}_{job.task} on 'gpu' partition)\n"
    )


def next_pulse(t: float) -> float:
    """When the status script runs next."""
    return (t // _PULSE_S + 1) * _PULSE_S


def _names(job: Job, rank: int, place: int) -> dict[str, object]:
    address = job.chance.pick(_ADDRESS, place, 250)
    gpus, local = job.scenario.cluster.gpus, job.local_rank(rank)
    return {
        "rank": rank,
        "local": local,
        "gpus": gpus,
        "up": (rank + 1) % gpus,
        "down": (rank - 1) % gpus,
        "bus": 88000 if local % 2 else 1000,
        "host": f"{job.node_of(rank)}:{30000 + address}:{30500 + address}",
        "c": address % 9,
        "d": address,
    }
