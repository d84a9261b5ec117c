"""How attempts end badly, in the words of Slurm, torchrun, NCCL and CUDA.

The trap: the first line is the cause and all others follow from it, minutes later and from other ranks.
"""

from collections.abc import Iterator

from trainwatch.simulate.faults import Crash
from trainwatch.simulate.job import Job

_WAITING_RANKS = 3  # that tell of the collective they waited for; all do in real life


def time_limit(job: Job, t: float) -> str:
    """Slurm's notices when the time limit is reached."""
    stamp = job.timeline.stamp_slurm(t)
    node = job.nodes[0]
    return (
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.\n"
        f"slurmstepd: error: *** STEP {job.job_id}.0 ON {node} CANCELLED AT {stamp} DUE TO TIME LIMIT ***\n"
        f"slurmstepd: error: *** JOB {job.job_id} ON {node} CANCELLED AT {stamp} DUE TO TIME LIMIT ***\n"
    )


def crash(job: Job, t: float, crash: Crash, said_by: str) -> Iterator[tuple[float, str]]:
    """One rank runs out of memory; the others wait for it until their watchdogs bite."""
    rank = crash.rank % job.scenario.cluster.gpus
    said = said_by.format(rank=rank, local=job.local_rank(rank))
    yield t, "".join(f"{said}{line}\n" for line in _out_of_memory(job, rank))
    over = t + crash.timeout_s
    for n in range(1, _WAITING_RANKS + 1):
        yield over, _waited(job, over, (rank + n) % job.scenario.cluster.gpus, crash, said_by)
    yield over + 5, _torn_down(job, over + 5, rank)


def _out_of_memory(job: Job, rank: int) -> tuple[str, ...]:
    local = job.local_rank(rank)
    return (
        "Traceback (most recent call last):",
        '  File "pretrain_gpt.py", line 245, in <module>',
        "    main()",
        '  File "/opt/train/megatron/training.py", line 855, in train_step',
        "    loss = model[0].train_batch(data_iter=data_iterator)",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py", line 396, in backward',
        "    torch.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB "
        f"(GPU {local}; 79.15 GiB total capacity; 74.31 GiB already allocated; 1.02 GiB free; "
        "76.05 GiB reserved in total by PyTorch)",
    )


def _waited(job: Job, t: float, rank: int, crash: Crash, said_by: str) -> str:
    said = said_by.format(rank=rank, local=job.local_rank(rank))
    limit_ms = round(crash.timeout_s * 1000)
    head = f"E{job.timeline.local(t):%m%d %H:%M:%S.%f}000 ProcessGroupNCCL.cpp:629"
    failed = (
        f"[{head}] [Rank {rank}] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum=39517, OpType=ALLREDUCE, NumelIn=336234306, NumelOut=336234306, "
        f"Timeout(ms)={limit_ms}) ran for {limit_ms + 81} milliseconds before timing out."
    )
    return (
        f"{said}{failed}\n"
        f"{said}terminate called after throwing an instance of 'c10::DistBackendError'\n"
        f"{said}  what():  [Rank {rank}] NCCL watchdog thread terminated with exception\n"
    )


def _torn_down(job: Job, t: float, rank: int) -> str:
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
