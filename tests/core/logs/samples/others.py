"""What a person says of the lines of OLMo, Composer and fairseq."""

from tests.core.logs.reading import at
from tests.core.logs.samples.saying import Said, part
from trainwatch.core.model.records import Iteration, Overflow

OLMO_COMPOSER_FAIRSEQ: Said = {
    1: [
        Iteration(
            format="olmo",
            stamp=at("2024-04-17 09:42:38"),
            iteration=2,
            target=739328,
            values={},
        )
    ],
    2: [part("olmo", loss=10.73)],
    4: [part("olmo", consumed_tokens=8388608.0)],
    5: [part("olmo", tokens_per_s_per_gpu=45538.0)],
    6: [part("olmo", step_time_s=1 / 0.0869)],
    7: [part("olmo", peak_gpu_memory_mb=43309.0)],
    # The fifth batch of the five of an epoch: how many epochs there will be is not said.
    8: [Iteration(format="composer", iteration=5, values={})],
    10: [part("composer", loss=8.4213)],
    12: [part("composer", step_time_s=1 / 0.0027)],
    13: [part("composer", samples_per_s=2.733)],
    14: [part("composer", tokens_per_s=20082.8418)],
    15: [part("composer", tokens_per_s_per_gpu=1255.1776)],
    16: [
        Iteration(
            format="fairseq",
            stamp=at("2021-03-08 12:32:33"),
            iteration=None,
            values={
                "loss": 16.446,
                "tokens_per_s": 288.7,
                "tokens_per_iteration": 16384.0,
                "global_batch_size": 8.0,
                "step_time_s": 16384 / 288.7,
            },
        )
    ],
    17: [Overflow(stamp=at("2024-02-29 07:59:01"), loss_scale=32.0)],
}
