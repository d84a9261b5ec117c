"""The scenarios that can be asked for by name. To add one, add it to the table."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.ends import Crash
from trainwatch.simulate.incidents.table import INCIDENTS
from trainwatch.simulate.models import GPT_13B, GPT_176B, LLAMA_8B
from trainwatch.simulate.scenario import Cluster, Scenario

_DEMO = Scenario(
    description="176B on 384 A100, to be watched at speed 60: ramp-up, saves, evaluations within a minute",
    flavour="megatron-deepspeed",
    name="sim-176B",
    model=GPT_176B,
    cluster=Cluster(gpus=384, tensor_parallel=4, pipeline_parallel=12, tflops=162.0),
    micro_batch_size=2,
    global_batch_size=2048,
    rampup=(192, 64, 200_000),
    train_samples=220_000_000,
    learning_rate=6e-5,
    warmup_samples=183_105,
    eval_interval=40,
    save_interval=50,
    validation_sets=3,
    startup_s=120.0,
    eval_s=90.0,
    queue_s=30.0,
    exit_duration_min=1190.0,
    chatter=0.5,
    iterations=3_000,
)
_HEALTHY = Scenario(
    description="13B on 64 A100: ramp-up, an exit by the clock, a restart from the last save",
    flavour="megatron-deepspeed",
    name="sim-13B",
    model=GPT_13B,
    cluster=Cluster(gpus=64, tensor_parallel=2, pipeline_parallel=4, tflops=150.0),
    micro_batch_size=2,
    global_batch_size=1024,
    rampup=(64, 32, 120_000),
    train_samples=150_000_000,
    validation_sets=3,
    exit_duration_min=290.0,
    time_limit_s=18_000.0,
    iterations=1_500,
)
_HEALTHY_CORE = Scenario(
    description="Megatron-Core, 8B on 64 H100: a line every ten iterations, exits by the clock",
    flavour="megatron-core",
    name="sim-8B",
    model=LLAMA_8B,
    cluster=Cluster(
        gpus=64,
        gpu="NVIDIA H100 80GB HBM3",
        tensor_parallel=2,
        pipeline_parallel=2,
        tflops=430.0,
    ),
    micro_batch_size=1,
    global_batch_size=512,
    train_samples=30_000_000,
    recompute=False,
    learning_rate=3e-4,
    warmup_samples=50_000,
    log_interval=10,
    eval_interval=500,
    save_interval=250,
    validation_sets=2,
    eval_s=25.0,
    save_s=15.0,
    exit_duration_min=110.0,
    time_limit_s=7_200.0,
    iterations=3_000,
)
_HEALTHY_TITAN = replace(
    _HEALTHY_CORE,
    description="torchtitan, 8B on 64 H100: Slurm's time limit ends each attempt, training completes",
    flavour="torchtitan",
    cluster=replace(_HEALTHY_CORE.cluster, tensor_parallel=1, pipeline_parallel=1),
    train_samples=512 * 2_000,
    validation_sets=1,
    exit_duration_min=None,
    iterations=2_000,
)
_NOISY = replace(
    _HEALTHY,
    description="a shared network: the speed varies by 40 % through the day and between allocations",
    throughput_noise=0.4,
    daily_drift=True,
    iterations=3_000,
)
_CRASH = replace(
    _HEALTHY,
    description="one rank runs out of memory, the others time out; 37 iterations are trained again",
    faults=(Crash(iteration=237),),
    iterations=500,
)

SCENARIOS: Mapping[str, Scenario] = {
    "demo": _DEMO,
    "healthy": _HEALTHY,
    "healthy-megatron-core": _HEALTHY_CORE,
    "healthy-torchtitan": _HEALTHY_TITAN,
    "noisy-network": _NOISY,
    "crash-and-restart": _CRASH,
    **{name: incident.scenario for name, incident in INCIDENTS.items()},
}
DEFAULT = "healthy"
