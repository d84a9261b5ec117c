"""All flavours, by the name that a scenario gives."""

from collections.abc import Mapping

from trainwatch.simulate.flavours import megatron_core, megatron_deepspeed, torchtitan
from trainwatch.simulate.flavours.flavour import Flavour
from trainwatch.simulate.scenario import FlavourName

FLAVOURS: Mapping[FlavourName, Flavour] = {
    "megatron-deepspeed": megatron_deepspeed.FLAVOUR,
    "megatron-core": megatron_core.FLAVOUR,
    "torchtitan": torchtitan.FLAVOUR,
}
