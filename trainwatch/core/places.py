"""Other places for files (a folder, whatever fsspec knows): how they take one, and what their errors mean."""

import errno

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_NO_LOGIN = ("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError")
_WHOLE_PUTS = frozenset(  # an object appears when all of it has arrived
    ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "memory")
)
UNFINISHED = ".trainwatch.tmp"  # the end of a file's name while it is not whole


def puts_whole(to: str) -> bool:
    """Whether a file that was cut short never appears there."""
    return to.partition("://")[0] in _WHOLE_PUTS


def beside(name: str) -> str:
    """What a file is called while it is not whole."""
    return f".{name[:150]}{UNFINISHED}"


def meaning(error: BaseException, to: str) -> tuple[bool, str]:
    """Whether trying again may help, and why it failed. By errno, which clients of object stores set, too."""
    number = getattr(error, "errno", None)
    if number in _FULL:
        return True, f"there is no room left at {to}"
    if isinstance(error, PermissionError) or number in _FORBIDDEN:
        return False, f"{to} may not be written to: ask its owner for the right to"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return False, f"{to} does not exist (is it mounted?): create it, or set create = true"
    if type(error).__name__ in _NO_LOGIN:
        return False, f"there are no credentials for {to}: set them up where trainwatch runs"
    if isinstance(error, ImportError):
        return False, f"a package is missing for {to}: {error}"
    return True, f"{type(error).__name__}: {error}"
