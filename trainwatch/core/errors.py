"""Every error a user can meet: it says what to do next, whether trying again helps, and its exit code."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit status says. Part of the interface; scripts rely on it."""

    OK = 0
    UNHEALTHY = 1  # the run is unhealthy (`status`), or the work failed
    USAGE = 2  # a wrong argument or configuration
    UNKNOWN = 3  # blind, or worth trying again
    INTERRUPTED = 130


class TrainwatchError(Exception):
    """The base of them all. `transient` says whether the same call may work later."""

    exit_code = ExitCode.UNHEALTHY
    transient = False


class UsageError(TrainwatchError):
    """The command or the configuration asks for something that cannot be: names the key or argument."""

    exit_code = ExitCode.USAGE


class LogUnreadable(TrainwatchError):
    """The log is missing, not a file, or may not be read."""

    exit_code = ExitCode.USAGE


class LogUnknown(TrainwatchError):
    """The log can be read and holds no format trainwatch knows."""

    exit_code = ExitCode.UNKNOWN


class AnswerUnreadable(TrainwatchError):
    """What a command answered is not an answer: cut off, an error in its place, or something else."""

    exit_code = ExitCode.UNKNOWN
    transient = True


class StoreUnusable(TrainwatchError):
    """The state folder cannot be used: read-only, of a newer version, or not ours."""

    exit_code = ExitCode.USAGE


class StoreFull(TrainwatchError):
    """The disk that holds the state folder is full: nothing is lost, the log is read again later."""

    exit_code = ExitCode.UNKNOWN
    transient = True


class LeaseHeld(TrainwatchError):
    """Another trainwatch writes this store; readers need no lease."""

    exit_code = ExitCode.UNKNOWN
    transient = True


class SchedulerUnknown(TrainwatchError):
    """The scheduler gave no answer that can be read: nothing is known of any job, not that it is gone."""

    exit_code = ExitCode.UNKNOWN
    transient = True


class DiskUnknown(TrainwatchError):
    """A disk, or the command that knows its quota, gave no answer that can be read."""

    exit_code = ExitCode.UNKNOWN
    transient = True


class SubmissionRefused(TrainwatchError):
    """The scheduler said no to a job, or to a request about one: the same request fails again."""


class MissingExtra(TrainwatchError):
    """An optional package is not installed; the message holds the command that installs it."""

    exit_code = ExitCode.USAGE
