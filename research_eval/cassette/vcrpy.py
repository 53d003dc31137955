"""vcrpy: our cassettes read and written by its loader, and given to it as ordinary cassettes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from research_eval.cassette.body import body_bytes
from research_eval.cassette.file import Cassette, dump_cassette, parse_cassette
from research_eval.cassette.foreign import ImportCount, recorded_in_order
from research_eval.cassette.interaction import CassetteMetadata
from research_eval.cassette.key import PROFILE
from research_eval.cassette.redact import Redactor
from research_eval.cassette.store import FolderStore
from research_eval.cassette.vcrpy_reading import exchanges_in
from research_eval.errors import CassetteCorruptError, CassetteError

__all__ = [
    "SERIALIZER",
    "CassettePersister",
    "CassetteSerializer",
    "register",
    "vcrpy_values",
    "write_vcrpy",
]

SERIALIZER = "research-eval"
"""The name under which the serializer is registered."""


class CassetteSerializer:
    """Lets vcrpy read and write our files; it is handed to `VCR.register_serializer`."""

    def __init__(self, folder: Path | None = None, redactor: Redactor | None = None) -> None:
        self._read_file = FolderStore(folder).body if folder is not None else _no_file
        self._redactor = redactor or Redactor()

    def deserialize(self, cassette_string: str) -> dict[str, Any]:
        """Return the values that vcrpy expects of a file.

        Raises:
            CassetteCorruptError: If it is none of ours.
        """
        cassette = parse_cassette(
            cassette_string.encode("utf-8", "surrogatepass"), "the cassette", self._read_file
        )
        return vcrpy_values(cassette, self._read_file)

    def serialize(self, cassette_dict: dict[str, Any]) -> str:
        """Return the text of a file for what vcrpy recorded, scrubbed.

        Raises:
            SecretInCassetteError: If a known secret is still in it.
            CassetteError: If vcrpy recorded what is no exchange.
        """
        count = ImportCount()
        parts = exchanges_in(cassette_dict["interactions"])
        records = recorded_in_order(parts, self._redactor, "model", count)
        if count.refused:
            raise CassetteError(f"the cassette cannot be written: {count.reasons[0]}")
        text = dump_cassette(records, CassetteMetadata(profile=PROFILE))
        self._redactor.check(text, "the cassette")
        return text


class CassettePersister:
    """Reads files as UTF-8 and finds bodies that have files of their own; for `VCR.register_persister`."""

    @staticmethod
    def load_cassette(cassette_path: str | Path, serializer: object) -> object:
        """Return what vcrpy's own persister would, whatever the locale."""
        from vcr.persisters.filesystem import CassetteNotFoundError  # noqa: PLC0415  # only where vcrpy is used
        from vcr.serialize import deserialize  # noqa: PLC0415  # only where vcrpy is used

        path = Path(cassette_path)
        if not path.is_file():
            raise CassetteNotFoundError
        if isinstance(serializer, CassetteSerializer):
            home = next(
                (folder for folder in path.parents[:4] if (folder / "bodies").is_dir()), None
            )
            serializer = CassetteSerializer(home)
        return deserialize(path.read_text(encoding="utf-8"), serializer)

    @staticmethod
    def save_cassette(
        cassette_path: str | Path, cassette_dict: dict[str, Any], serializer: object
    ) -> None:
        """Write what vcrpy recorded, whole or not at all."""
        from vcr.serialize import serialize  # noqa: PLC0415  # only where vcrpy is used

        from research_eval.cassette.growing import write_whole  # noqa: PLC0415

        write_whole(Path(cassette_path), serialize(cassette_dict, serializer).encode("utf-8"))


def register(vcr: Any, redactor: Redactor | None = None) -> None:  # noqa: ANN401  # vcrpy ships no types
    """Teach a `vcr.VCR` to read and write our cassettes: `use_cassette(..., serializer="research-eval")`."""
    vcr.register_serializer(SERIALIZER, CassetteSerializer(redactor=redactor))
    vcr.register_persister(CassettePersister)


def vcrpy_values(cassette: Cassette, read_file: Callable[[str], bytes]) -> dict[str, Any]:
    """Return a cassette as the plain values that vcrpy knows; bodies are bytes."""
    return {
        "version": 1,
        "interactions": [
            {
                "request": {
                    "method": record.request.method,
                    "uri": record.request.uri,
                    "body": body_bytes(record.request.body, read_file),
                    "headers": {
                        name: list(values) for name, values in record.request.headers.items()
                    },
                },
                "response": {
                    "status": record.response.status.model_dump(),
                    "headers": {
                        name: list(values) for name, values in record.response.headers.items()
                    },
                    "body": {"string": body_bytes(record.response.body, read_file)},
                },
            }
            for record in cassette.records()
        ],
    }


def write_vcrpy(cassettes: Iterable[tuple[Cassette, Callable[[str], bytes]]], path: Path) -> int:
    """Write cassettes as one ordinary vcrpy cassette: JSON if the name ends with .json, else YAML.

    Raises:
        CassetteError: If a binary body is to go into JSON, which vcrpy cannot do.
    """
    from vcr.serializers import jsonserializer, yamlserializer  # noqa: PLC0415  # slow to import
    from vcr.serializers.compat import convert_to_unicode  # noqa: PLC0415

    from research_eval.cassette.growing import write_whole  # noqa: PLC0415

    interactions = [
        interaction
        for cassette, read_file in cassettes
        for interaction in vcrpy_values(cassette, read_file)["interactions"]
    ]
    for interaction in interactions:
        convert_to_unicode(interaction["request"])
        convert_to_unicode(interaction["response"])
    serializer = jsonserializer if path.suffix == ".json" else yamlserializer
    try:
        text = serializer.serialize({"version": 1, "interactions": interactions})
    except TypeError as exc:
        raise CassetteError(
            f"{path}: a binary body cannot go into JSON; write .yaml instead"
        ) from exc
    write_whole(path, text.encode("utf-8"))
    return len(interactions)


def _no_file(name: str) -> bytes:
    raise CassetteCorruptError(f"body {name} has a file of its own; register the persister as well")
