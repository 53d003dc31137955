"""Which distribution is installed, the whole or the light one, and its version."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["LIGHT", "WHOLE", "code_version", "is_whole"]

WHOLE = "research-eval"
LIGHT = "research-eval-core"
"""The same package without tables, statistics, plots and model SDKs; `core/pyproject.toml`."""


def is_whole() -> bool:
    """Return whether everything that the commands need was installed."""
    try:
        version(WHOLE)
    except PackageNotFoundError:
        return False
    return True


def code_version() -> str:
    """Return the version of this package.

    Raises:
        PackageNotFoundError: If neither distribution is installed.
    """
    return version(WHOLE if is_whole() else LIGHT)
