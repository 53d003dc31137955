"""Growing: a cassette that is written again with every exchange, whole, at the cost of what is new."""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

from research_eval.cassette.file import CassetteText
from research_eval.cassette.interaction import CassetteMetadata, RecordedInteraction
from research_eval.cassette.redact import Redactor
from research_eval.errors import CassetteWriteError

__all__ = ["GrowingCassette", "GrowingFile", "write_whole"]


class GrowingCassette(Protocol):
    """A cassette that is written again whenever it has grown, at the cost of what is new."""

    def add(self, interaction: RecordedInteraction) -> None:
        """Put an exchange behind the others and write the cassette; after an error it is used no more.

        Raises:
            SecretInCassetteError: If a known secret is in it; nothing is written then.
            CassetteWriteError: If it cannot be written.
        """
        ...

    def save(self) -> None:
        """Write the cassette as it is.

        Raises:
            SecretInCassetteError: If a known secret is in it; nothing is written then.
            CassetteWriteError: If it cannot be written.
        """
        ...


class GrowingFile:
    """One file of a folder while it grows."""

    def __init__(
        self,
        path: Path,
        interactions: Iterable[RecordedInteraction],
        metadata: CassetteMetadata,
        redactor: Redactor,
        with_shared_body: Callable[[RecordedInteraction], RecordedInteraction],
    ) -> None:
        """Begin a file.

        Args:
            path: Where it lies.
            interactions: What it begins with.
            metadata: What it says of itself.
            redactor: Finds secrets.
            with_shared_body: Moves a large body into a file of its own.

        Raises:
            SecretInCassetteError: If a known secret is in it.
            CassetteWriteError: If a body cannot be written.
        """
        self._path = path
        self._redactor = redactor
        self._with_shared_body = with_shared_body
        self._text = CassetteText(metadata)
        redactor.check(metadata.model_dump_json(), str(path))
        for interaction in interactions:
            self._take(interaction)

    def add(self, interaction: RecordedInteraction) -> None:
        """Put an exchange behind the others and write the file."""
        self._take(interaction)
        self.save()

    def save(self) -> None:
        """Write the file."""
        write_whole(self._path, self._text.whole())

    def _take(self, interaction: RecordedInteraction) -> None:
        part = self._text.add(self._with_shared_body(interaction))
        self._redactor.check_bytes(part, str(self._path))


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all.

    Raises:
        CassetteWriteError: If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as exc:
        raise CassetteWriteError(f"{path}: cannot be written: {exc.strerror}") from exc
