"""How attempts end badly, in the words of Slurm, torchrun, NCCL and CUDA.

The trap: the first line is the cause and all others follow from it, minutes later and from other ranks.
"""

from collections.abc import Iterator, Mapping

from trainwatch.simulate.faults.ends import Cause, Crash
from trainwatch.simulate.job import Job

Said = tuple[float, str]  # when, and what

_WAITING_RANKS = 3  # that tell of the collective they waited for; all do in real life
_TEARDOWN_S = 5.0

_IN_TRAINING = (
    "Traceback (most recent call last):",
    '  File "pretrain_gpt.py", line 245, in <module>',
    "    main()",
    '  File "/opt/train/megatron/training.py", line 855, in train_step',
    "    loss = model[0].train_batch(data_iter=data_iterator)",
    '  File "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py", line 396, in backward',
    "    torch.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)",
)
_IN_SETUP = (
    "Traceback (most recent call last):",
    '  File "pretrain_gpt.py", line 245, in <module>',
    "    main()",
    '  File "/opt/train/megatron/training.py", line 124, in pretrain',
    "    initialize_megatron(extra_args_provider=extra_args_provider)",
)
_CAUSES: Mapping[Cause, tuple[str, ...]] = {
    "out-of-memory": (
        *_IN_TRAINING,
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB "
        "(GPU {local}; 79.15 GiB total capacity; 74.31 GiB already allocated; 1.02 GiB free; "
        "76.05 GiB reserved in total by PyTorch)",
    ),
    "ecc": (*_IN_TRAINING, "RuntimeError: CUDA error: uncorrectable ECC error encountered"),
    "illegal-access": (
        *_IN_TRAINING,
        "RuntimeError: CUDA error: an illegal memory access was encountered",
    ),
    "xid": (
        "kernel: NVRM: Xid (PCI:0000:1a:00): 63, pid=41705, Row Remapper: New row marked for remapping",
        *_IN_TRAINING,
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
    ),
    "bus-error": (
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
        "shared memory (shm).",
        *_IN_TRAINING[:-2],
        "RuntimeError: DataLoader worker (pid 41822) is killed by signal: Bus error. "
        "It is possible that dataloader's workers are out of shared memory.",
    ),
    "disk-full": (
        *_IN_TRAINING[:-2],
        "OSError: [Errno 28] No space left on device",
    ),
    "learning-rate": (
        *_IN_SETUP,
        "AssertionError: AnnealingLR: class input value 6e-05 and checkpointvalue 0.0001 for "
        "learning rate do not match",
    ),
    "batch-size": (
        *_IN_SETUP,
        "AssertionError: global batch size ({batch}) is not divisible by micro batch size ({micro}) "
        "times data parallel size ({replicas})",
    ),
}


def time_limit(job: Job, t: float) -> str:
    """Slurm's notices when the time limit is reached."""
    return (
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.\n"
        f"{_notices(job, t, ' DUE TO TIME LIMIT')}"
    )


def cancelled(job: Job, t: float) -> str:
    """Slurm's notices after a scancel, which gives no reason."""
    return (
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.\n"
        f"{_notices(job, t, '')}"
    )


def kill_switch(job: Job, t: float, said_by: str) -> str:
    """Megatron's word when it finds the file."""
    said = said_by.format(rank=0, local=0)
    return (
        f"{said}[Detected kill switch at kill-switch. Exiting] datetime: {job.timeline.stamp(t)} \n"
    )


def crash(job: Job, t: float, fault: Crash, said_by: str) -> Iterator[Said]:
    """One rank fails; the others wait for it until their watchdogs bite."""
    yield t, failed(job, fault.cause, fault.rank, said_by)
    over = t + fault.timeout_s
    for n in range(1, _WAITING_RANKS + 1):
        rank = (fault.rank + n) % job.scenario.cluster.gpus
        yield over, _waited(job, over, rank, fault, said_by)
    if fault.lingers_h is None:
        yield over + _TEARDOWN_S, torn_down(job, over + _TEARDOWN_S, fault.rank)


def failed(job: Job, cause: Cause, rank: int, said_by: str) -> str:
    """What the rank itself says."""
    scenario, rank = job.scenario, rank % job.scenario.cluster.gpus
    local = job.local_rank(rank)
    said = said_by.format(rank=rank, local=local)
    told = {
        "local": local,
        "batch": scenario.rampup[0] if scenario.rampup else scenario.global_batch_size,
        "micro": scenario.micro_batch_size,
        "replicas": scenario.data_parallel,
    }
    return "".join(f"{said}{line}\n".format_map(told) for line in _CAUSES[cause])


def _waited(job: Job, t: float, rank: int, fault: Crash, said_by: str) -> str:
    said = said_by.format(rank=rank, local=job.local_rank(rank))
    limit_ms = round(fault.timeout_s * 1000)
    head = f"E{job.timeline.local(t):%m%d %H:%M:%S.%f}000 ProcessGroupNCCL.cpp:629"
    timed_out = (
        f"[{head}] [Rank {rank}] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum=39517, OpType=ALLREDUCE, NumelIn=336234306, NumelOut=336234306, "
        f"Timeout(ms)={limit_ms}) ran for {limit_ms + 81} milliseconds before timing out."
    )
    return (
        f"{said}{timed_out}\n"
        f"{said}terminate called after throwing an instance of 'c10::DistBackendError'\n"
        f"{said}  what():  [Rank {rank}] NCCL watchdog thread terminated with exception\n"
    )


def torn_down(job: Job, t: float, rank: int) -> str:
    """What the launcher and Slurm say of the rank that failed."""
    rank %= job.scenario.cluster.gpus
    node, first = job.node_of(rank), job.nodes[0]
    stamp = job.timeline.stamp_slurm(t)
    closing = "".join(
        f"WARNING:torch.distributed.elastic.multiprocessing.api:Sending process {41690 + local} "
        "closing signal SIGTERM\n"
        for local in range(job.scenario.cluster.gpus_per_node)
        if local != job.local_rank(rank)
    )
    return (
        f"{closing}ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) "
        f"local_rank: {job.local_rank(rank)} (pid: 41705) of binary: /opt/conda/bin/python\n"
        f"srun: error: {node}: task {rank // job.scenario.cluster.gpus_per_node}: Exited with exit code 1\n"
        f"srun: launch/slurm: _step_signal: Terminating StepId={job.job_id}.0\n"
        f"slurmstepd: error: *** STEP {job.job_id}.0 ON {first} CANCELLED AT {stamp} ***\n"
    )


def _notices(job: Job, t: float, why: str) -> str:
    stamp, node = job.timeline.stamp_slurm(t), job.nodes[0]
    return "".join(
        f"slurmstepd: error: *** {kind} ON {node} CANCELLED AT {stamp}{why} ***\n"
        for kind in (f"STEP {job.job_id}.0", f"JOB {job.job_id}")
    )
