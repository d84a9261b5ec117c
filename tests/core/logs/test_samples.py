"""Every line of every sample log, and what a person says it is. Lines that are not named say nothing.

The tables are in samples/. They are written from the samples and from what the formats mean, not from what
the parsers give.
"""

from pathlib import Path

import pytest

from tests.core.logs.reading import plainly, read
from tests.core.logs.samples.deepspeed import ARGONNE, DEEPSPEED
from tests.core.logs.samples.errors import ERRORS
from tests.core.logs.samples.huggingface import HF, IDEFICS, NANOTRON
from tests.core.logs.samples.megatron import MEGATRON_2021, MEGATRON_CORE, MEGATRON_SAVES
from tests.core.logs.samples.nemo import NEMO
from tests.core.logs.samples.others import OLMO_COMPOSER_FAIRSEQ
from tests.core.logs.samples.saying import Said
from tests.core.logs.samples.torchtitan import TITAN_ANSI, TITAN_PLAIN

# file -> (lines it has, what its lines say)
SAMPLES: dict[str, tuple[int, Said]] = {
    "deepspeed.log": (9, DEEPSPEED),
    "error_signatures.log": (38, ERRORS),
    "hf_trainer_v4_and_v5.log": (5, HF),
    "m4_idefics.log": (8, IDEFICS),
    "megatron_2021_dsonline_pulse_mix.log": (10, MEGATRON_2021),
    "megatron_checkpoint_minmax_srunlabel.log": (15, MEGATRON_SAVES),
    "megatron_core_2024_2026.log": (16, MEGATRON_CORE),
    "megatron_deepspeed_argonne.log": (1, ARGONNE),
    "nanotron_old_and_new.log": (4, NANOTRON),
    "nemo_lightning_tqdm.log": (6, NEMO),
    "olmo_composer_fairseq.log": (17, OLMO_COMPOSER_FAIRSEQ),
    "torchtitan_ansi.GENERATED_from_format_string.log": (4, TITAN_ANSI),
    "torchtitan_plain_rankprefix.log": (9, TITAN_PLAIN),
}
LINES = [(name, number) for name, (count, _) in SAMPLES.items() for number in range(1, count + 1)]


@pytest.mark.parametrize(("name", "number"), LINES)
def test_a_line_is_what_a_person_says_it_is(shared_logs: Path, name: str, number: int) -> None:
    lines = (shared_logs / "samples" / name).read_bytes().splitlines(keepends=True)
    expected = SAMPLES[name][1].get(number, [])
    assert plainly(read(lines[number - 1])) == plainly(expected)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_the_sum_of_its_lines(shared_logs: Path, name: str) -> None:
    said = [record for number in sorted(SAMPLES[name][1]) for record in SAMPLES[name][1][number]]
    assert plainly(read((shared_logs / "samples" / name).read_bytes())) == plainly(said)


def test_every_line_of_every_sample_is_in_the_table(shared_logs: Path) -> None:
    found = {
        path.name: len(path.read_bytes().splitlines())
        for path in (shared_logs / "samples").iterdir()
    }
    assert found == {name: count for name, (count, _) in SAMPLES.items()}
