"""Why a job waits, in plain words, and whether it will ever start by itself.

The trap: one code comes in many forms: with blanks or underscores, with nodes behind it, several in a row.
"""

import re
from typing import NamedTuple

from trainwatch.core.patterns import pattern
from trainwatch.core.words import clean

_HELD_STATES = frozenset({"REQUEUE_HOLD"})
_WIDTH = 80
_LONGEST = 1000
_NEVER = "will never start by itself"


class Reason(NamedTuple):
    """What a code means. `never`: somebody has to do something before the job can start."""

    words: str
    never: bool = False


# The codes of Slurm, in lower case.
REASONS = {
    "accountingpolicy": Reason("blocked by a limit of the accounting"),
    "accountnotallowed": Reason(f"its account may not use the partition: {_NEVER}", never=True),
    "associationjoblimit": Reason("blocked by a limit on the jobs of its account"),
    "associationresourcelimit": Reason("blocked by a limit on what its account may use at once"),
    "associationtimelimit": Reason(f"the hours of its account are used up: {_NEVER}", never=True),
    "badconstraints": Reason(f"asks for what no node has: {_NEVER}", never=True),
    "begintime": Reason("waits for the time it was told to begin at"),
    "burstbufferoperation": Reason("a burst buffer failed"),
    "burstbufferresources": Reason("waits for room in a burst buffer"),
    "burstbufferstagein": Reason("its data is being staged in"),
    "cleaning": Reason("is cleaned up after its last attempt"),
    "deadline": Reason("its deadline cannot be met"),
    "dependency": Reason("waits for another job"),
    "dependencyneversatisfied": Reason(f"its dependency can never be met: {_NEVER}", never=True),
    "fedjoblock": Reason("waits for the other clusters of its federation"),
    "frontenddown": Reason("no front end node is up"),
    "gangsuspended": Reason("gave its place to another job for a while"),
    "invalidaccount": Reason(f"its account is not valid: {_NEVER}", never=True),
    "invalidqos": Reason(f"its QOS is not valid: {_NEVER}", never=True),
    "jobarraytasklimit": Reason("waits for its turn in the array"),
    "jobheldadmin": Reason(f"held by an administrator: {_NEVER}", never=True),
    "jobhelduser": Reason(f"held by its owner: {_NEVER}", never=True),
    "jobholdmaxrequeue": Reason(f"requeued too often, and held: {_NEVER}", never=True),
    "joblaunchfailure": Reason("could not be launched"),
    "job requeued in held state": Reason(f"requeued and held: {_NEVER}", never=True),
    "launch failed requeued held": Reason(
        f"could not be launched, requeued and held: {_NEVER}", never=True
    ),
    "licenses": Reason("waits for a license"),
    "maxrequeue": Reason(f"requeued too often: {_NEVER}", never=True),
    "nodedown": Reason("a node it needs is down"),
    "nonzeroexitcode": Reason("it failed"),
    "outofmemory": Reason("it ran out of memory"),
    "partitionconfig": Reason(f"asks for what the partition does not allow: {_NEVER}", never=True),
    "partitiondown": Reason("its partition is down: nothing starts there until it is up"),
    "partitioninactive": Reason("its partition takes no jobs until it is up"),
    "partitionnodelimit": Reason(
        f"asks for more or fewer nodes than the partition allows: {_NEVER}", never=True
    ),
    "partitiontimelimit": Reason(
        f"asks for more time than the partition allows: {_NEVER}", never=True
    ),
    "priority": Reason("waits for its turn"),
    "prolog": Reason("its nodes are being prepared (prolog)"),
    "qosjoblimit": Reason("blocked by the limit of the QOS"),
    "qosnotallowed": Reason(f"its QOS may not be used here: {_NEVER}", never=True),
    "qosresourcelimit": Reason("blocked by the limit of the QOS"),
    "qostimelimit": Reason(f"asks for more time than the QOS allows: {_NEVER}", never=True),
    "qosusagethreshold": Reason("the QOS was used more than its share"),
    "raisedsignal": Reason("a signal ended it"),
    "reqnodenotavail": Reason("a node it needs is not available"),
    "reservation": Reason("waits for its reservation"),
    "reservationdeleted": Reason(f"its reservation is gone: {_NEVER}", never=True),
    "reserved for maintenance": Reason("the nodes are reserved for maintenance"),
    "resources": Reason("waits for free nodes"),
    "schedoverlimit": Reason("the scheduler has looked at enough jobs for now"),
    "systemfailure": Reason("Slurm, a disk or the network failed"),
    "timelimit": Reason("it reached its time limit"),
    "user held": Reason(f"held by its owner: {_NEVER}", never=True),
}

# Families of codes: what begins so, or holds it. The first that fits; `{}` is the limit that is meant.
_FAMILIES = (
    (r"reqnodenotavail.*reserved for maintenance", "the nodes are reserved for maintenance", False),
    (r"reqnodenotavail", "a node it needs is not available", False),
    (r"nodes required for job are ", "a node it needs is down, drained or reserved", False),
    (r"qosmin(.*)", f"asks for less than the QOS wants ({{}}): {_NEVER}", True),
    (r"qosmax(.*perjob.*)", f"asks for more than the QOS allows ({{}}): {_NEVER}", True),
    (r"qosmax(.*pernode.*)", f"asks for more than the QOS allows ({{}}): {_NEVER}", True),
    (r"assocmax(.*perjob.*)", f"asks for more than its account allows ({{}}): {_NEVER}", True),
    (r"assocmax(.*pernode.*)", f"asks for more than its account allows ({{}}): {_NEVER}", True),
    (r"(?:qos|assoc)grp(.*run(?:minutes|mins).*)", "blocked by a group limit ({})", False),
    (
        # of wall clock time, too, the sum over all jobs of the group so far is what is limited
        r"(?:qos|assoc)grp(.*minutes.*|.*mins.*|wall.*)",
        f"the hours of its group are used up ({{}}): {_NEVER}",
        True,
    ),
    (r"qosgrp(.*)", "blocked by the limit of the QOS ({})", False),
    (r"qosmax(.*)", "blocked by the limit of the QOS ({})", False),
    (r"assoc(?:grp|max)(.*)", "blocked by a group limit ({})", False),
    (r"(max.*peraccount)", "blocked by a group limit ({})", False),
    (r"burstbuffer", "waits for a burst buffer", False),
)
_COMPILED = tuple(
    (pattern(said, re.IGNORECASE | re.DOTALL), words, never) for said, words, never in _FAMILIES
)
_HUMP = pattern(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def in_words(reason: str) -> str:
    """Why, as a person would say it; a code that is not known as it is, cleaned; empty for none."""
    found = _find(reason)
    if found is not None:
        return found.words
    parts = [_find(part) for part in reason.split(",")]  # of the tasks of an array, each its own
    known = dict.fromkeys(part.words for part in parts if part is not None)
    if len(parts) > 1 and all(parts):
        return "; ".join(known)
    return clean(reason.strip(), _WIDTH)


def never_starts(reason: str, state: str) -> bool:
    """Whether a job that waits like this stays until somebody does something about it."""
    if state in _HELD_STATES:
        return True
    found = _find(reason)
    return found is not None and found.never


def _find(reason: str) -> Reason | None:
    code = reason.strip().strip("()").replace("_", " ")[:_LONGEST]
    found = REASONS.get(code.lower())
    if found is not None:
        return found
    for known, words, never in _COMPILED:
        match = known.match(code)
        if match is not None:
            limit = _HUMP.sub(" ", match[1]).strip() if match.groups() else ""
            return Reason(words.format(clean(limit, _WIDTH) or "of some kind"), never)
    return None
