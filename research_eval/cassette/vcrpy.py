"""vcrpy: our cassettes read and written by its loader, its cassettes taken over and given back."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from research_eval.cassette.body import body_bytes
from research_eval.cassette.foreign import ForeignExchange, taped_in_order
from research_eval.cassette.interaction import TapeMetadata
from research_eval.cassette.key import PROFILE
from research_eval.cassette.redact import Redactor
from research_eval.cassette.store import FolderStore
from research_eval.cassette.tape import MAX_BYTES, Tape, dump_tape, parse_tape
from research_eval.errors import CassetteCorruptError, CassetteError

__all__ = [
    "SERIALIZER",
    "TapePersister",
    "TapeSerializer",
    "read_vcrpy",
    "register",
    "vcrpy_values",
    "write_vcrpy",
]

SERIALIZER = "research-eval"
"""The name under which the serializer is registered."""


class TapeSerializer:
    """Lets vcrpy read and write our files; it is handed to `VCR.register_serializer`."""

    def __init__(self, folder: Path | None = None, redactor: Redactor | None = None) -> None:
        self._read_file = FolderStore(folder).body if folder is not None else _no_file
        self._redactor = redactor or Redactor()

    def deserialize(self, cassette_string: str) -> dict[str, Any]:
        """Return the values that vcrpy expects of a file.

        Raises:
            CassetteCorruptError: If it is none of ours.
        """
        tape = parse_tape(
            cassette_string.encode("utf-8", "surrogatepass"), "the cassette", self._read_file
        )
        return vcrpy_values(tape, self._read_file)

    def serialize(self, cassette_dict: dict[str, Any]) -> str:
        """Return the text of a file for what vcrpy recorded, scrubbed.

        Raises:
            SecretOnTapeError: If a known secret is still in it.
        """
        records = taped_in_order(_exchanges(cassette_dict["interactions"]), self._redactor, "model")
        text = dump_tape(records, TapeMetadata(profile=PROFILE))
        self._redactor.check(text, "the cassette")
        return text


class TapePersister:
    """Reads files as UTF-8 and finds bodies that have files of their own; for `VCR.register_persister`."""

    @staticmethod
    def load_cassette(cassette_path: str | Path, serializer: object) -> object:
        """Return what vcrpy's own persister would, whatever the locale."""
        from vcr.persisters.filesystem import CassetteNotFoundError  # noqa: PLC0415  # only where vcrpy is used
        from vcr.serialize import deserialize  # noqa: PLC0415  # only where vcrpy is used

        path = Path(cassette_path)
        if not path.is_file():
            raise CassetteNotFoundError
        if isinstance(serializer, TapeSerializer):
            home = next(
                (folder for folder in path.parents[:4] if (folder / "bodies").is_dir()), None
            )
            serializer = TapeSerializer(home)
        return deserialize(path.read_text(encoding="utf-8"), serializer)

    @staticmethod
    def save_cassette(
        cassette_path: str | Path, cassette_dict: dict[str, Any], serializer: object
    ) -> None:
        """Write what vcrpy recorded, whole or not at all."""
        from vcr.serialize import serialize  # noqa: PLC0415  # only where vcrpy is used

        from research_eval.cassette.store import write_whole  # noqa: PLC0415

        write_whole(Path(cassette_path), serialize(cassette_dict, serializer).encode("utf-8"))


def register(vcr: Any, redactor: Redactor | None = None) -> None:  # noqa: ANN401  # vcrpy ships no types
    """Teach a `vcr.VCR` to read and write our cassettes: `use_cassette(..., serializer="research-eval")`."""
    vcr.register_serializer(SERIALIZER, TapeSerializer(redactor=redactor))
    vcr.register_persister(TapePersister)


def vcrpy_values(tape: Tape, read_file: Callable[[str], bytes]) -> dict[str, Any]:
    """Return a tape as the plain values that vcrpy knows; bodies are bytes."""
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
            for record in tape.records()
        ],
    }


def read_vcrpy(path: Path) -> Iterator[ForeignExchange]:
    """Return the exchanges of an ordinary vcrpy cassette, YAML or JSON, without running code from it.

    Raises:
        CassetteCorruptError: If it cannot be read.
    """
    from vcr.serialize import deserialize  # noqa: PLC0415  # slow to import, and only needed here
    from vcr.serializers import jsonserializer, yamlserializer  # noqa: PLC0415

    text = _read_bounded(path)
    is_json = text.lstrip()[:1] == "{"
    try:
        requests, responses, *_ = deserialize(text, jsonserializer if is_json else yamlserializer)
    except Exception as exc:  # vcrpy and its parsers document no errors
        words = " ".join(str(exc).split())[:200]
        raise CassetteCorruptError(f"{path}: no vcrpy cassette: {words}") from exc
    values = (
        {"request": request._to_dict(), "response": response}  # noqa: SLF001  # as its own serializer does
        for request, response in zip(requests, responses, strict=True)
    )
    return _exchanges(values)


def _read_bounded(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as exc:
        raise CassetteCorruptError(f"{path}: no vcrpy cassette: {exc}") from exc
    if len(text) > MAX_BYTES:
        raise CassetteCorruptError(f"{path}: larger than {MAX_BYTES} characters")
    return text


def write_vcrpy(tapes: Iterable[tuple[Tape, Callable[[str], bytes]]], path: Path) -> int:
    """Write tapes as one ordinary vcrpy cassette: JSON if the name ends so, else YAML.

    Raises:
        CassetteError: If a binary body is to go into JSON, which vcrpy cannot do.
    """
    from vcr.serializers import jsonserializer, yamlserializer  # noqa: PLC0415  # slow to import
    from vcr.serializers.compat import convert_to_unicode  # noqa: PLC0415

    from research_eval.cassette.store import write_whole  # noqa: PLC0415

    interactions = [
        interaction
        for tape, read_file in tapes
        for interaction in vcrpy_values(tape, read_file)["interactions"]
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


def _exchanges(interactions: Iterable[dict[str, Any]]) -> Iterator[ForeignExchange]:
    for interaction in interactions:
        try:
            request, response = interaction["request"], interaction["response"]
            status = response["status"]
            exchange = ForeignExchange(
                method=str(request["method"]),
                uri=str(request["uri"]),
                request_headers=_pairs(request.get("headers")),
                request_body=_bytes(request.get("body")),
                status=_status(status["code"]),
                reason=str(status.get("message") or ""),
                headers=_pairs(response.get("headers")),
                body=_bytes((response.get("body") or {}).get("string")),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise CassetteCorruptError(
                f"an interaction is not as vcrpy writes it: {exc!r:.200}"
            ) from exc
        yield exchange


def _status(code: Any) -> int:  # noqa: ANN401  # from a file
    status = int(code)
    if not 100 <= status <= 999:
        raise ValueError("a status is from 100 to 999")
    return status


def _pairs(headers: Any) -> list[tuple[str, str]]:  # noqa: ANN401  # from a file
    return [
        (str(name), str(value))
        for name, values in (headers or {}).items()
        for value in (values if isinstance(values, list | tuple) else [values])
    ]


def _bytes(body: Any) -> bytes:  # noqa: ANN401  # from a file
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    return body.encode("utf-8", "surrogateescape") if isinstance(body, str) else bytes(body)


def _no_file(name: str) -> bytes:
    raise CassetteCorruptError(f"body {name} has a file of its own; register the persister as well")
