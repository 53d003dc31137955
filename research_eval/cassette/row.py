"""Rows of a packed cassette: compressed, each with a checksum, and sums that tell a lost row from none."""

import sqlite3
import threading
import zlib

import zstandard

from research_eval.cassette.file import MAX_BYTES
from research_eval.errors import CassetteCorruptError

__all__ = [
    "SUMS",
    "TABLES",
    "begin_sums",
    "drop_row",
    "inflated",
    "is_sealed",
    "put_row",
    "true_sums",
    "written_sums",
]

TABLES = ("tapes", "bodies", "parts")

SUMS = "CREATE TABLE sums (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, names INTEGER NOT NULL)"
"""Of each table: how many rows were written, and the sum of the CRC-32 of their names."""

_SEALED = b"\x01"
"""The first byte of a row that has a checksum, four bytes, before its content."""


class _Zstd(threading.local):
    """Neither side of zstd may be used by two threads at a time, and each is dear to make."""

    def __init__(self) -> None:
        self.packer = zstandard.ZstdCompressor(level=9)
        self.unpacker = zstandard.ZstdDecompressor()


_ZSTD = _Zstd()


def put_row(
    connection: sqlite3.Connection, table: str, name: str, content: bytes, *, is_once: bool
) -> None:
    """Keep `content` under `name`; with `is_once` leave alone what is there already."""
    query = f"SELECT 1 FROM {table} WHERE name = ?"  # noqa: S608  # three fixed names
    is_known = connection.execute(query, (name,)).fetchone()
    if is_known and is_once:
        return
    frame = _ZSTD.packer.compress(content)
    row = _SEALED + _row_sum(table, name, frame) + frame
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", (name, row))  # noqa: S608  # three fixed names
    if not is_known:
        _count(connection, table, 1, _name_sum(name))


def drop_row(connection: sqlite3.Connection, table: str, name: str) -> None:
    """Remove what stands under `name`, if anything does."""
    query = f"DELETE FROM {table} WHERE name = ?"  # noqa: S608  # three fixed names
    if connection.execute(query, (name,)).rowcount:
        _count(connection, table, -1, -_name_sum(name))


def begin_sums(connection: sqlite3.Connection) -> None:
    """Count the rows of a file that is new, or that an earlier version wrote."""
    with connection:
        connection.execute(SUMS)
        for table, (rows, names) in true_sums(connection).items():
            connection.execute("INSERT INTO sums VALUES (?, ?, ?)", (table, rows, names))


def true_sums(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return the sums over the rows that are there."""
    found = {}
    for table in TABLES:
        query = f"SELECT name FROM {table}"  # noqa: S608  # three fixed names
        names = [_name_sum(row[0]) for row in connection.execute(query)]
        found[table] = (len(names), sum(names))
    return found


def written_sums(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return the sums over the rows that were written."""
    query = "SELECT name, rows, names FROM sums"
    return {str(name): (rows, names) for name, rows, names in connection.execute(query)}


def is_sealed(row: bytes) -> bool:
    """Return whether a row has a checksum; rows of earlier versions have none."""
    return row.startswith(_SEALED)


def inflated(row: bytes, table: str, name: str, where: str) -> bytes:
    """Return what a row holds: zstd, or zlib in files of the first version; no more than is ever kept.

    Raises:
        CassetteCorruptError: If it does not fit its checksum, or cannot be decompressed.
    """
    if is_sealed(row):
        if row[1:5] != _row_sum(table, name, row[5:]):
            raise CassetteCorruptError(f"{where}: does not fit its checksum: damaged")
        row = row[5:]
    try:
        if row[:4] == zstandard.FRAME_HEADER:
            size = zstandard.get_frame_parameters(row).content_size
            if size > MAX_BYTES:  # also one that does not say
                raise CassetteCorruptError(f"{where}: larger than {MAX_BYTES} bytes")
            return _ZSTD.unpacker.decompress(row, allow_extra_data=False)
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(row, MAX_BYTES + 1)
    except (zlib.error, zstandard.ZstdError) as exc:
        raise CassetteCorruptError(f"{where}: cannot be decompressed: {exc}") from exc
    if len(content) > MAX_BYTES or not unpacker.eof:
        raise CassetteCorruptError(f"{where}: larger than {MAX_BYTES} bytes, or cut")
    return content


def _count(connection: sqlite3.Connection, table: str, rows: int, names: int) -> None:
    change = "UPDATE sums SET rows = rows + ?, names = names + ? WHERE name = ?"
    connection.execute(change, (rows, names, table))


def _name_sum(name: object) -> int:
    return zlib.crc32(str(name).encode("utf-8", "surrogatepass"))


def _row_sum(table: str, name: str, frame: bytes) -> bytes:
    start = zlib.crc32(f"{table} {name}\0".encode("utf-8", "surrogatepass"))
    return zlib.crc32(frame, start).to_bytes(4, "big")
