"""What a run is, from its own log: each fact, its unit, and where it came from."""

import math

import pytest

from tests.core.folding import Run
from trainwatch.core.facts import Facts, Value, argument, configured, learn, overridden

DUMPED: list[tuple[str, str, str, Value | None]] = [
    # argument, as printed, the fact, its value
    ("num_layers", "40", "num_layers", 40),
    ("hidden_size", "6144", "hidden_size", 6144),
    ("ffn_hidden_size", "24576", "ffn_hidden_size", 24576),
    ("num_attention_heads", "48", "num_attention_heads", 48),
    ("seq_length", "2048", "seq_length", 2048),
    ("padded_vocab_size", "50688", "vocab_size", 50688),
    ("micro_batch_size", "4", "micro_batch_size", 4),
    ("batch_size", "4", "micro_batch_size", 4),
    ("global_batch_size", "1024", "global_batch_size", 1024),
    ("global_batch_size", "None", "global_batch_size", None),
    ("train_samples", "300_000_000", "target_samples", None),
    ("train_samples", "300000000", "target_samples", 300_000_000),
    ("train_tokens", "450000000000", "target_tokens", 450_000_000_000),
    ("train_iters", "1000", "target_iteration", 1000),
    ("save_interval", "100", "save_interval", 100),
    ("eval_interval", "1000", "eval_interval", 1000),
    ("log_interval", "10", "log_interval", 10),
    ("exit_duration_in_mins", "1190", "exit_duration_min", 1190.0),
    ("exit_duration_in_mins", "None", "exit_duration_min", None),
    ("exit_duration_in_mins", "nan", "exit_duration_min", None),
    ("params_dtype", "torch.float16", "precision", "float16"),
    ("params_dtype", "torch.bfloat16", "precision", "bfloat16"),
    ("params_dtype", "torch.quint8", "precision", None),
    ("bf16", "True", "precision", "bfloat16"),
    ("bf16", "False", "precision", None),
    ("fp16", "True", "precision", "float16"),
    ("tensor_model_parallel_size", "4", "tensor_parallel", 4),
    ("pipeline_model_parallel_size", "16", "pipeline_parallel", 16),
    ("data_parallel_size", "1", "data_parallel", 1),
    ("context_parallel_size", "2", "context_parallel", 2),
    ("world_size", "64", "gpus", 64),
    ("rampup_batch_size", "['16', '16', '5_000_000']", "rampup", (16, 16, 5_000_000)),
    ("rampup_batch_size", "['16', '16', '5000000']", "rampup", (16, 16, 5_000_000)),
    ("rampup_batch_size", "None", "rampup", None),
    ("rampup_batch_size", "['16', 'x', '5']", "rampup", None),
    ("checkpoint_activations", "True", "recompute", True),
    ("checkpoint_activations", "False", "recompute", False),
    ("recompute_granularity", "full", "recompute", True),
    ("recompute_granularity", "None", "recompute", False),
    ("swiglu", "True", "glu", True),
    ("num_experts", "None", "experts", None),
    ("num_experts", "8", "experts", 8),
    ("zero_stage", "1", "zero_stage", 1),
    ("save", "/ckpt", "save_path", "/ckpt"),
    ("load", "None", "load_path", None),
    ("tensorboard_dir", "/tb", "tensorboard_path", "/tb"),
    ("kill_switch_path", "/kill", "kill_switch_path", "/kill"),
    # values that cannot be
    ("num_layers", "-40", "num_layers", None),
    ("num_layers", "forty", "num_layers", None),
    ("num_layers", "4.5", "num_layers", None),
    ("num_layers", "9" * 40, "num_layers", None),
]


@pytest.mark.parametrize(("key", "printed", "fact", "value"), DUMPED)
def test_an_argument(key: str, printed: str, fact: str, value: Value | None) -> None:
    facts = argument(Facts(), key, printed)
    assert getattr(facts, fact) == value
    assert facts.sources == ({} if value is None else {fact: "log"})


@pytest.mark.parametrize(("key", "printed", "fact", "value"), DUMPED)
def test_an_argument_in_a_log(key: str, printed: str, fact: str, value: Value | None) -> None:
    run = Run(["----- arguments -----", f"  {key} {'.' * max(1, 48 - len(key))} {printed}"])
    assert getattr(run.state.facts, fact) == value


def test_one_switch_of_recomputation_is_enough() -> None:
    facts = argument(Facts(), "checkpoint_activations", "True")
    assert argument(facts, "recompute_granularity", "None").recompute is True


IMPOSSIBLE: list[tuple[str, Value]] = [
    ("gpus", -1),
    ("gpus", 1e300),
    ("gpus", math.nan),
    ("gpus", 2.5),
    ("parameters", math.inf),
    ("parameters", math.nan),
    ("parameters", -1.0),
    ("no_such_fact", 1),
    ("sources", 1),
    ("rampup", 5),
    ("num_layers", "many"),
]


@pytest.mark.parametrize(("key", "value"), IMPOSSIBLE)
def test_what_cannot_be_is_not_learned(key: str, value: Value) -> None:
    assert learn(Facts(), key, value) == Facts()


def test_a_later_word_counts() -> None:
    facts = learn(learn(Facts(), "gpus", 64), "gpus", 32)
    assert (facts.gpus, facts.sources) == (32, {"gpus": "log"})


def test_learning_the_same_again_changes_nothing() -> None:
    facts = learn(Facts(), "gpus", 64)
    assert learn(facts, "gpus", 64.0) is facts


def test_configuration_overrides_the_log() -> None:
    logged = learn(learn(Facts(), "gpus", 64), "seq_length", 2048)
    facts = overridden(logged, configured({"gpus": 32}))
    assert (facts.gpus, facts.seq_length) == (32, 2048)
    assert facts.sources == {"gpus": "config", "seq_length": "log"}


def test_facts_hold_until_the_next_attempt_says_otherwise() -> None:
    dump = "using world size: {}, data-parallel-size: 1"
    run = Run([dump.format(64), "ValueError: x", dump.format(32)])
    assert [a.facts.gpus for a in run.attempts] == [64, 32]
    again = Run([dump.format(64), "ValueError: x", "----- arguments -----"])
    assert [a.facts.gpus for a in again.attempts] == [64, 64]


TITAN = "[titan] 2025-11-25 19:44:58,838 - root - INFO - "
LOGS: list[tuple[str, list[str], dict[str, Value]]] = [
    (
        "Megatron",
        [
            "using world size: 64, data-parallel-size: 1, tensor-model-parallel size: 4, "
            "pipeline-model-parallel size: 16",
            "using torch.float16 for parameters ...",
            " > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)",
        ],
        {
            "gpus": 64,
            "data_parallel": 1,
            "tensor_parallel": 4,
            "pipeline_parallel": 16,
            "precision": "float16",
            "vocab_size": 50688,
        },
    ),
    (
        "DeepSpeed",
        [
            "[INFO] [config.py:904:print]   train_batch_size ............. 1024",
            "[INFO] [config.py:904:print]   fp16_enabled ................. True",
            "[INFO] [config.py:904:print]   bfloat16_enabled ............. False",
            "[INFO] [config.py:904:print]   zero_optimization_stage ...... 3",
        ],
        {"global_batch_size": 1024, "precision": "float16", "zero_stage": 3},
    ),
    (
        "torchtitan",
        [
            TITAN
            + "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=8",
            TITAN + "Model llama3 8B size: 8,030,261,248 total parameters",
            TITAN + "Peak FLOPS used for computing MFU: 9.890e+14",
        ],
        {
            "gpus": 64,
            "tensor_parallel": 8,
            "pipeline_parallel": 2,
            "data_parallel": 4,
            "parameters": 8030261248.0,
            "peak_tflops": 989.0,
        },
    ),
    (
        "HF Trainer",
        [
            "***** Running training *****",
            "  Num Epochs = 3",
            "  Total train batch size (w. parallel, distributed & accumulation) = 1,024",
            "  Total optimization steps = 1,602",
        ],
        {"epochs": 3, "global_batch_size": 1024, "target_iteration": 1602},
    ),
    (
        "launcher",
        ["torchrun --nnodes 4 --nproc_per_node 8 train.py", "GPU: NVIDIA H100 80GB HBM3"],
        {"nodes": 4, "gpus_per_node": 8, "gpu_type": "H100"},
    ),
]


@pytest.mark.parametrize(
    ("lines", "known"), [pytest.param(lines, known, id=name) for name, lines, known in LOGS]
)
def test_facts_of_a_log(lines: list[str], known: dict[str, Value]) -> None:
    facts = Run(lines).state.facts
    assert {key: getattr(facts, key) for key in known} == known
    assert {facts.sources[key] for key in known} == {"log"}


def test_shards_of_the_model_are_kept_by_their_place() -> None:
    line = " > number of parameters on (tensor, pipeline) model parallel rank ({}, {}): {}"
    shards = [line.format(t, p, 1000 + 10 * t + p) for t in range(2) for p in range(2)]
    run = Run([*shards, shards[0]])
    assert run.state.parameters_by_shard == {
        "(0,0)": 1000.0,
        "(0,1)": 1001.0,
        "(1,0)": 1010.0,
        "(1,1)": 1011.0,
    }


def test_gpus_are_those_of_the_launcher_where_nothing_else_says_it() -> None:
    launched = "torchrun --nnodes 4 --nproc_per_node 8 train.py"
    known = Run([launched]).figures().facts
    assert (known.gpus, known.nodes, known.sources["gpus"]) == (32, 4, "derived")
    told = Run([launched, "using world size: 16, data-parallel-size: 1"]).figures().facts
    assert (told.gpus, told.sources["gpus"]) == (16, "log")
