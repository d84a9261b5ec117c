"""The argument dump and what stands around it: size, split, vocabulary, GPU, launcher."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.logs.reading import at, plainly, read
from trainwatch.core.model.records import (
    Argument,
    Clock,
    Fact,
    Record,
    Startup,
    TrainingBegins,
)

DUMPED: list[tuple[str, list[Record]]] = [
    (
        "  hidden_size ..................................... 6144",
        [Argument(key="hidden_size", value="6144")],
    ),
    (
        "[default0]:  num_layers ...................................... 40",
        [Argument(key="num_layers", value="40")],
    ),
    (
        "0:   rampup_batch_size ............................... ['16', '16', '5_000_000']",
        [Argument(key="rampup_batch_size", value="['16', '16', '5_000_000']")],
    ),
    (
        "  exit_duration_in_mins ........................... 1190   ",
        [Argument(key="exit_duration_in_mins", value="1190")],
    ),
    (
        "  checkpoint_activations_with_deepspeed_or_so ... True",
        [],
    ),
    ("  adam_beta1 ...................................... 0.9", []),
    (
        "  params_dtype .................................... torch.bfloat16",
        [Argument(key="params_dtype", value="torch.bfloat16")],
    ),
    (
        "  save ............................................ ckpt dir/with blank",
        [Argument(key="save", value="ckpt dir/with blank")],
    ),
    # DeepSpeed's dump uses the same words for other things
    (
        "[2021-05-24 12:00:00,123] [INFO] [config.py:960:print]   train_batch_size ............. 1024",
        [
            Argument(
                key="deepspeed.train_batch_size", value="1024", stamp=at("2021-05-24 12:00:00.123")
            )
        ],
    ),
    (
        "[2021-05-24 12:00:00,123] [INFO] [config.py:960:print]   world_size ................... 1",
        [],
    ),
    # prose
    ("loading hidden_size ..... please wait", [Argument(key="hidden_size", value="please wait")]),
    ("hidden_size .. 12", []),
    ("waiting .....", []),
]

SHARD = " > number of parameters on (tensor, pipeline) model parallel rank (0, 3): 1745293312"
EVENTS: list[tuple[str, list[Record]]] = [
    (
        "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: 4",
        [
            Startup(marker="world size"),
            Fact(key="gpus", value=16.0),
            Fact(key="data_parallel", value=1.0),
            Fact(key="tensor_parallel", value=4.0),
            Fact(key="pipeline_parallel", value=4.0),
        ],
    ),
    (
        "using world size: 64 and model-parallel size: 4 ",
        [
            Startup(marker="world size"),
            Fact(key="gpus", value=64.0),
            Fact(key="tensor_parallel", value=4.0),
        ],
    ),
    (
        "using world size: 512, data-parallel size: 32, context-parallel size: 2, hierarchical context-parallel sizes: None, "
        "tensor-model-parallel size: 4, pipeline-model-parallel size: 2",
        [
            Startup(marker="world size"),
            Fact(key="gpus", value=512.0),
            Fact(key="data_parallel", value=32.0),
            Fact(key="context_parallel", value=2.0),
            Fact(key="tensor_parallel", value=4.0),
            Fact(key="pipeline_parallel", value=2.0),
        ],
    ),
    ("------------------------ arguments ------------------------", [Startup(marker="arguments")]),
    ("-------------------- end of arguments ---------------------", []),
    (
        " > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)",
        [Fact(key="vocab_size", value=50688.0)],
    ),
    (SHARD, [Fact(key="parameters_on(0,3)", value=1745293312.0)]),
    ("using torch.float16 for parameters ...", [Fact(key="precision", value="float16")]),
    ("using torch.nn.Linear for everything", []),
    ("estimated model parameters: 12.5", [Fact(key="parameters", value=12.5e9)]),
    ("Total number of parameters in billions: 0.05", [Fact(key="parameters", value=0.05e9)]),
    ("Number of parameters in embedding layers in billions: 0.03", []),
    (
        "[before the start of training step] datetime: 2021-05-24 09:40:12 ",
        [TrainingBegins(stamp=at("2021-05-24 09:40:12"))],
    ),
    (
        "[after model, optimizer, and learning rate scheduler are built] datetime: 2021-05-24 09:40:12",
        [Clock(stamp=at("2021-05-24 09:40:12"))],
    ),
    ("export NNODES=16", [Fact(key="nodes", value=16.0)]),
    (
        "torchrun --nnodes 4 --nproc_per_node 8 pretrain.py",
        [Fact(key="nodes", value=4.0), Fact(key="gpus_per_node", value=8.0)],
    ),
    (
        "python -m torch.distributed.run --nproc-per-node=4 --nnodes=2",
        [Fact(key="nodes", value=2.0), Fact(key="gpus_per_node", value=4.0)],
    ),
    ("NNODES=$SLURM_NNODES", []),
    (
        "| 0  Tesla V100-SXM2...  On | 00000000:1A:00.0 Off |                    0 |",
        [Fact(key="gpu_type", value="V100")],
    ),
    ("GPU: NVIDIA A100-SXM4-80GB", [Fact(key="gpu_type", value="A100")]),
    ("NVIDIA H100 80GB HBM3", [Fact(key="gpu_type", value="H100")]),
    ("AMD Instinct MI300X", [Fact(key="gpu_type", value="MI300X")]),
    ("NVIDIA Release 23.10 (build 1)", []),
]


@pytest.mark.parametrize(("line", "expected"), DUMPED + EVENTS)
def test_a_line(line: str, expected: list[Record]) -> None:
    assert plainly(read(line)) == plainly(expected)
