"""Read the arguments of a fetch as a model wrote them, or say what is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from research_eval.tool.fetch.settings import FetchSettings

__all__ = ["DEFAULT_LENGTH", "ArgumentError", "FetchArguments", "read_arguments"]

DEFAULT_LENGTH = 5000
_KNOWN = ("url", "max_length", "start_index")


class ArgumentError(Exception):
    """An argument is missing or not of its form."""


@dataclass(frozen=True)
class FetchArguments:
    """What a model asks for."""

    url: str
    max_length: int
    start_index: int
    remarks: tuple[str, ...] = ()
    """What was changed about the request, in words."""


def read_arguments(arguments: Mapping[str, Any], settings: FetchSettings) -> FetchArguments:
    """Return `arguments` in their form.

    Raises:
        ArgumentError: If one is missing, unknown or out of range; the message says which.
    """
    unknown = [name for name in arguments if name not in _KNOWN]
    if unknown:
        raise ArgumentError(f"unknown argument {unknown[0]!r}; known are {', '.join(_KNOWN)}")
    url = arguments.get("url")
    if not isinstance(url, str) or not url.strip():
        raise ArgumentError("`url` is missing or not a string")
    wanted = _integer(arguments, "max_length", DEFAULT_LENGTH)
    start = _integer(arguments, "start_index", 0)
    if wanted < 1:
        raise ArgumentError(f"`max_length` is {wanted}; it must be at least 1")
    if start < 0:
        raise ArgumentError(f"`start_index` is {start}; it must be at least 0")
    limit = settings.max_length_limit
    remarks = () if wanted <= limit else (f"max_length was lowered from {wanted} to {limit}.",)
    return FetchArguments(_bare(url), min(wanted, limit), start, remarks)


def _bare(url: str) -> str:
    """Return `url` without blanks around it and without the angle brackets of Markdown."""
    text = url.strip()
    return text[1:-1].strip() if text.startswith("<") and text.endswith(">") else text


def _integer(arguments: Mapping[str, Any], name: str, default: int) -> int:
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        value = int(value) if len(value) < 20 else value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"`{name}` must be a whole number")
    return value
