"""A run of BLOOM's shape: what its log says of it, and iterations of its size."""

from typing import Any

from tests.core.logs.making import iteration

BLOOM = [
    "using world size: 384, data-parallel-size: 8, tensor-model-parallel size: 4, "
    "pipeline-model-parallel size: 12",
    "----- arguments -----",
    "  num_layers ...................................... 70",
    "  hidden_size ..................................... 14336",
    "  padded_vocab_size ............................... 250880",
    "  seq_length ...................................... 2048",
    "  global_batch_size ............................... 2048",
    "  checkpoint_activations .......................... True",
    "  params_dtype .................................... torch.bfloat16",
    "  log_interval .................................... 1",
    "NVIDIA A100-SXM4-80GB",
]


def trained(first: int, last: int, **how: Any) -> list[str]:
    return [
        iteration(n, **{"batch": 2048, "step_ms": 105_220.0, **how}) for n in range(first, last + 1)
    ]
