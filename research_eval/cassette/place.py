"""Places: a path that a person names in, the stores of recordings that lie there out."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from research_eval.cassette.opening import PACK_SUFFIX, open_store
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.store import Store
from research_eval.errors import CassetteError

__all__ = ["NamedStore", "find_cassette", "find_stores"]

_WEB = "web"


class NamedStore(NamedTuple):
    """One store of an experiment."""

    label: str
    """`web`, or the configuration's name."""
    channel: Channel
    store: Store


def find_stores(place: Path, redactor: Redactor | None = None) -> list[NamedStore]:
    """Return the stores at `place`: an experiment's folder, one of the folders in it, or a packed file.

    Raises:
        CassetteError: If there is nothing.
    """
    if place.suffix == PACK_SUFFIX and place.is_file():
        return [_named(place, redactor, is_named=True)]
    if not place.is_dir():
        raise CassetteError(f"{place}: no folder of recordings")
    if place.name == _WEB or (place / "bodies").is_dir():
        return [_named(place, redactor, is_named=True)]
    found = sorted(path for path in place.iterdir() if path.is_dir() or path.suffix == PACK_SUFFIX)
    if not found:
        raise CassetteError(f"{place}: holds no recordings")
    if any(
        path.suffix == ".json" for folder in found if folder.is_dir() for path in folder.iterdir()
    ):
        return [_named(place, redactor, is_named=True)]
    packed = {path.name for path in found if path.suffix == PACK_SUFFIX}
    return [_named(path, redactor) for path in found if path.name + PACK_SUFFIX not in packed]


def find_cassette(stores: list[NamedStore], name: str) -> Iterator[tuple[NamedStore, str]]:
    """Return the cassettes whose name, or label and name, begins with `name`."""
    for named in stores:
        for cassette in named.store.names():
            if cassette.startswith(name) or f"{named.label}/{cassette}".startswith(name):
                yield named, cassette


def _named(path: Path, redactor: Redactor | None, *, is_named: bool = False) -> NamedStore:
    label = path.name.removesuffix(PACK_SUFFIX)
    is_web = label == _WEB or (path / "bodies").is_dir()
    store = open_store(path, redactor, has_shared_bodies=is_web, is_named=is_named)
    return NamedStore(label, "web" if is_web else "model", store)
