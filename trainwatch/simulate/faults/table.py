"""All faults, and the one that is true from the beginning: the run is not what was asked for."""

import msgspec

from trainwatch.simulate.faults.beside import BesideFault
from trainwatch.simulate.faults.ends import EndFault
from trainwatch.simulate.faults.queueing import (
    FalselyEmpty,
    LongWait,
    NothingQueued,
    QueueUnknown,
)
from trainwatch.simulate.faults.saving import Overshot, Oversized, ResumeFrom, Unread, Unsaved
from trainwatch.simulate.faults.steps import StepFault


class Misconfigured(msgspec.Struct, frozen=True, kw_only=True):
    """The scenario itself is the trouble, from the first attempt on: a wrong model, no time to save."""

    rule: str
    key: str = ""


QueueFault = NothingQueued | LongWait | QueueUnknown | FalselyEmpty
SaveFault = Unsaved | Overshot | Oversized | Unread | ResumeFrom
Fault = StepFault | EndFault | QueueFault | SaveFault | BesideFault | Misconfigured
