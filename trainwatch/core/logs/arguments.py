"""The argument dump and what stands around it: Megatron's and DeepSpeed's `  key ........ value` lines.

Also the lines that say how large and how split the model is, and which GPU it runs on. Only lines
whose key core/facts.py knows become records; a dump has hundreds.
"""

from collections.abc import Iterator

from trainwatch.core.facts import ARGUMENTS
from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Argument, Clock, Fact, Record, Startup, TrainingBegins
from trainwatch.core.patterns import pattern

NAME = "arguments"

_DUMPED = pattern(r"\b([A-Za-z_]\w*)(?: \.{3,} | {2,})(\S.*?)\s*$")
_WORLD = pattern(r"using world size: (\d{1,9})(.*)")
_SIZES = pattern(
    r"(?<![\w-])(data|tensor|pipeline|context|model)-?(?:model-)?parallel[- ]size: (\d{1,9})"
)
_VOCAB = pattern(
    r"padded vocab \(size: (\d{1,12})\) with \d+ dummy tokens \(new size: (\d{1,12})\)"
)
_SHARD = pattern(
    r"number of parameters on \(tensor, pipeline\)\s+model parallel rank \((\d{1,6}), (\d{1,6})\): (\d{1,15})"
)
_GPU = pattern(
    r"\b(?:NVIDIA |Tesla |AMD (?:Instinct )?|Instinct )(GeForce RTX \d{4}|V100|P100|T4|A10G?|A30|A40"
    r"|A100|A800|L4|L40S?|H100|H800|H200|H20|GH200|B200|B300|GB200|GB300|MI210|MI250X?|MI300[AX]|MI325X|MI355X)\b"
)
_PRECISION = pattern(r"using torch\.(float16|bfloat16|float32) for parameters")
_DEEPSPEED = "[config.py:"
_NODES = pattern(r"--nnodes[ =](\d{1,6})|\bNNODES=(\d{1,6})")
_PER_NODE = pattern(r"--nproc[_-]per[_-]node[ =](\d{1,3})")
_ESTIMATED = pattern(
    r"(?:estimated model parameters|Total number of parameters in billions): +([\d.]+)"
)
_BEFORE_TRAINING = "[before the start of training step]"


def _arguments(line: Line) -> Iterator[Record]:
    found = _DUMPED.search(line.text)
    if found is None:
        return
    # DeepSpeed's dump means other things by the same words: its `world_size` counts replicas.
    key = f"deepspeed.{found[1]}" if _DEEPSPEED in line.text else found[1]
    if key in ARGUMENTS:
        yield Argument(format=NAME, stamp=text.stamp(line.text), key=key, value=found[2])


def _events(line: Line) -> Iterator[Record]:
    if found := _WORLD.search(line.text):
        yield Startup(format=NAME, marker="world size")
        yield Fact(format=NAME, key="gpus", value=float(found[1]))
        for kind, size in _SIZES.findall(found[2]):
            key = "tensor_parallel" if kind in ("tensor", "model") else f"{kind}_parallel"
            yield Fact(format=NAME, key=key, value=float(size))
    elif "- arguments -" in line.text:
        yield Startup(format=NAME, marker="arguments")
    elif found := _VOCAB.search(line.text):
        yield Fact(format=NAME, key="vocab_size", value=float(found[2]))
    elif found := _SHARD.search(line.text):
        key = f"parameters_on({found[1]},{found[2]})"
        yield Fact(format=NAME, key=key, value=float(found[3]))
    elif found := _PRECISION.search(line.text):
        yield Fact(format=NAME, key="precision", value=found[1])
    elif (found := _ESTIMATED.search(line.text)) and (billions := text.number(found[1])):
        yield Fact(format=NAME, key="parameters", value=billions * 1e9)
    elif _BEFORE_TRAINING in line.text:
        yield TrainingBegins(format=NAME, stamp=text.stamp(line.text))
    elif "] datetime: " in line.text and (stamp := text.stamp(line.text)):
        yield Clock(format=NAME, stamp=stamp)


def _launcher(line: Line) -> Iterator[Record]:
    if found := _NODES.search(line.text):
        yield Fact(format="launcher", key="nodes", value=float(found[1] or found[2]))
    if found := _PER_NODE.search(line.text):
        yield Fact(format="launcher", key="gpus_per_node", value=float(found[1]))


def _gpu(line: Line) -> Iterator[Record]:
    if found := _GPU.search(line.text):
        yield Fact(format="gpu", key="gpu_type", value=found[1])


DUMP = Format(
    name=NAME,
    needles=(b" .....", b"_per_gpu  ", b"activation_checkpointing  "),
    parse=_arguments,
    group=NAME,
)
EVENTS = Format(
    name="megatron-start",
    needles=(
        b"using world size: ",
        b"- arguments -",
        b"padded vocab (size",
        b"of parameters ",
        b"using torch.",
        b"] datetime: ",
        b"estimated model parameters: ",
    ),
    parse=_events,
    group="megatron-start",
)
LAUNCHER = Format(
    name="launcher",
    needles=(b"--nnodes", b"NNODES=", b"--nproc"),
    parse=_launcher,
    group="launcher",
)
GPU = Format(
    name="gpu",
    needles=(b"NVIDIA ", b"Tesla ", b"Instinct "),
    parse=_gpu,
    group="gpu",
)
