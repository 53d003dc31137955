"""Names: what a user or a server called something in, a file name that cannot leave its folder out."""

import re
from functools import lru_cache
from hashlib import sha256

from research_eval.schema.name import is_device_name

__all__ = ["host_folder", "safe_name", "slug"]

_RESERVED = re.compile(r"(?i)(?:\.|web\Z|bodies\Z)")
_MAX_CHARS = 80


def safe_name(name: str) -> str:
    """Return `name` spelled so that it is one plain file name on every system; distinct names stay so.

    >>> safe_name("gpt-5 mini/../x")
    'gpt-5%20mini%2F..%2Fx'
    """
    spelled = re.sub(r"[^A-Za-z0-9._-]", _percent, name)
    is_reserved = _RESERVED.match(spelled) or is_device_name(spelled)
    if is_reserved or not spelled or spelled.endswith("."):
        spelled = f"%{ord(spelled[0]):02X}{spelled[1:]}" if spelled else "%"
        spelled = spelled[:-1] + "%2E" if spelled.endswith(".") else spelled
    if len(spelled) > _MAX_CHARS:
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        spelled = f"{spelled[: _MAX_CHARS - 18]}%~{digest}"
    return spelled


@lru_cache(maxsize=4096)
def host_folder(host: str) -> str:
    """Return the folder of one host's recordings."""
    return safe_name(host.lower().replace(":", "_")) if host else "%"


@lru_cache(maxsize=4096)
def slug(text: str, limit: int = 48) -> str:
    """Return a few plain characters that remind a reader of `text`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:limit].strip("-") or "root"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))
