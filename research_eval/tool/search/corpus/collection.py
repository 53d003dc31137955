"""A collection of documents, indexed once and shared by every trial of a process."""

import hashlib
import sqlite3
from functools import lru_cache
from pathlib import Path

from research_eval.errors import ConfigError
from research_eval.tool.search.corpus.document import CorpusPage, document_files, pages_in
from research_eval.tool.search.corpus.index import TextIndex

__all__ = ["BASE_URL", "Corpus", "CorpusPage", "open_corpus"]

BASE_URL = "https://corpus.invalid/"
"""What the address begins with of a document that names none of its own; it leads nowhere."""

_FORMAT = "1"
"""Goes into the digest; changes whenever the same documents would be indexed in another way."""


class Corpus:
    """A folder (or one file) of documents with its index."""

    def __init__(
        self, folder: Path, *, base_url: str = BASE_URL, index_file: Path | None = None
    ) -> None:
        """Index the documents, unless the file holds the index of these very documents.

        Raises:
            ConfigError: If the folder or one of its documents cannot be read.
        """
        files = document_files(folder)
        root = folder.parent if folder.is_file() else folder
        names = {path: path.relative_to(root).as_posix() for path in files}
        self.digest = _digest(names, base_url)
        pages = (
            page
            for path, name in names.items()
            for page in pages_in(path, base_url=base_url, name=name)
        )
        try:
            self.index = TextIndex(index_file)
            if self.index.digest() != self.digest:
                self.index.build(pages, self.digest)
        except sqlite3.Error as exc:
            raise ConfigError(f"{index_file}: cannot be used as an index: {exc}") from exc


@lru_cache(maxsize=8)
def open_corpus(
    folder: Path, *, base_url: str = BASE_URL, index_file: Path | None = None
) -> Corpus:
    """Return the collection in `folder`, indexed at most once a process.

    Raises:
        ConfigError: If the folder or one of its documents cannot be read.
    """
    return Corpus(folder, base_url=base_url, index_file=index_file)


def _digest(names: dict[Path, str], base_url: str) -> str:
    total = hashlib.sha256(f"{_FORMAT}\n{base_url}\n".encode())
    for path, name in names.items():
        try:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as exc:
            raise ConfigError(f"{path}: cannot be read: {exc}") from exc
        total.update(f"{name}\0{content}\n".encode())
    return total.hexdigest()
