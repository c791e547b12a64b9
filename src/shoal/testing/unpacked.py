"""Every byte of a release, also those that are packed: what somebody with a hex editor and patience would see."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

__all__ = ["everything"]

_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"


def everything(root: Path) -> Iterator[tuple[str, bytes]]:
    """Where it stands, and what stands there: names, files as they are, and what is inside of Parquet files."""
    for path in sorted(root.rglob("*")):
        yield f"the name {path.name}", path.name.encode()
        if path.is_file():
            held = path.read_bytes()
            yield f"the file {path.name}", held
            yield from ((f"a packed part of {path.name}", part) for part in frames(held))
            if path.suffix == ".parquet":
                yield from _inside(path)


def frames(held: bytes) -> Iterator[bytes]:
    """What every Zstandard frame unpacks to: Parquet's data pages and dictionary pages."""
    place = held.find(_ZSTD_FRAME)
    while place >= 0:
        yield _unpacked(held[place:])
        place = held.find(_ZSTD_FRAME, place + 1)


def _unpacked(packed: bytes) -> bytes:
    """One frame. What follows it is none and ends the reading: byte by byte, so that nothing before it is lost."""
    held = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream, contextlib.suppress(OSError):
        while part := stream.read(1):
            held += part
    return bytes(held)


def _inside(path: Path) -> Iterator[tuple[str, bytes]]:
    """What readers of Parquet see: metadata, statistics, dictionaries, values."""
    with parquet.ParquetFile(path) as file:
        yield f"the metadata of {path.name}", repr(file.metadata.to_dict()).encode()
        yield f"the schema of {path.name}", repr((file.schema_arrow, file.schema_arrow.metadata)).encode()
        names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
    table = parquet.read_table(path, read_dictionary=names)
    for name in names:
        for chunk in table.column(name).chunks:
            yield f"the dictionary of {name}", repr(chunk.dictionary.to_pylist()).encode()
    yield f"the values of {path.name}", repr(table.to_pydict()).encode()
