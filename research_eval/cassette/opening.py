"""Opening: a place on disk in, the store that lies there out."""

from pathlib import Path

from research_eval.cassette.confine import refuse_link_out
from research_eval.cassette.pack import PackStore
from research_eval.cassette.redact import Redactor
from research_eval.cassette.store import FolderStore, Store

__all__ = ["PACK_SUFFIX", "open_store"]

PACK_SUFFIX = ".pack"
"""How the name of a packed cassette ends; it stands in the place of the folder of that name."""


def open_store(
    place: Path,
    redactor: Redactor | None = None,
    *,
    has_shared_bodies: bool = False,
    is_named: bool = False,
) -> Store:
    """Return the packed cassette at `place`, or beside it, or else the folder.

    Args:
        place: The folder, or the packed file.
        redactor: Takes secrets out.
        has_shared_bodies: Whether large bodies are files of their own.
        is_named: Whether a person named this very place, and so may have meant a link.

    Raises:
        CassetteCorruptError: If it is a link that leads out of the experiment's folder.
    """
    packed = place if place.suffix == PACK_SUFFIX else place.with_name(place.name + PACK_SUFFIX)
    is_packed = packed == place or packed.is_file()
    if not is_named:
        refuse_link_out(packed if is_packed else place)
    if is_packed:
        return PackStore(packed, redactor)
    return FolderStore(place, redactor, has_shared_bodies=has_shared_bodies)
