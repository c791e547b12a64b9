"""Redis Streams as a source and a sink: an entry is a record, its fields the columns.

A source reads as the one consumer of a group, and acknowledges entries once they are persisted; those that were
delivered before a crash and not acknowledged come again, and what the state holds of them is skipped. A sink writes a
batch and its number in one transaction, so that a batch that comes again is known.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import msgspec
import pyarrow as pa

from shoal.engine.stream.ends import Place
from shoal.engine.stream.intake import Incoming, Refusal
from shoal.errors import DataError, MissingDependency, PlanError
from shoal.plan.plan import Plan

#: As many entries are asked for, or acknowledged, in one go; and as many milliseconds are waited for some.
_COUNT, _WAIT = 5_000, 500


def _opened(url: str, known: Sequence[str]) -> tuple[Any, dict[str, str]]:
    """The server of a URL such as ``redis://localhost:6379/0?key=visits``, and what stands after the question mark."""
    try:
        import redis
    except ImportError:
        raise MissingDependency('Redis needs a package of its own: pip install "shoal[redis]"') from None
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    strange = [name for name in options if name not in known]
    if strange or "key" not in options:
        raise PlanError(f"expected a URL such as redis://HOST:6379/0?key=KEY, with no more than {', '.join(known)}")
    return redis.Redis.from_url(urlunsplit(parts._replace(query=""))), options


@contextmanager
def _reached() -> Iterator[None]:
    """Errors of the server without what they may quote."""
    import redis

    try:
        yield
    except redis.RedisError as error:
        raise DataError(
            f"Redis does not answer as expected ({type(error).__name__}): is it running, and is the key a stream?",
            details={"error": str(error)},
        ) from None


class RedisSource:
    """Entries of a stream, as the consumer ``shoal`` of a group.

    The URL may name the ``group``; with ``idle`` seconds, the stream has ended when nothing came for so long.
    """

    def __init__(self, url: str, plan: Plan) -> None:
        self._server, options = _opened(url, ("key", "group", "idle"))
        self._key, self._group = options["key"], options.get("group", "shoal")
        self._idle = float(options["idle"]) if "idle" in options else None
        self._names = [column.name for column in plan.columns]
        self._missing = frozenset(plan.read_options.missing)
        self._again = "0"  # after which pending entry to ask for the next; nothing when all came again
        self._held: tuple[int, int] = (0, 0)  # the last entry that the state has
        self._delivered: deque[str] = deque()

    def begin(self) -> list[str]:
        import redis

        with _reached():
            try:
                self._server.xgroup_create(self._key, self._group, id="0", mkstream=True)
            except redis.ResponseError as error:
                if "BUSYGROUP" not in str(error):  # the group is there already
                    raise
        return []

    def resume(self, place: Place, remembered: list[str]) -> None:
        self.begin()
        self._held = _ordered(str(place))

    def read(self) -> Incoming | None:
        since = time.monotonic()
        while True:
            entries = self._entries()
            if entries:
                return self._incoming(entries)
            if self._idle is not None and time.monotonic() - since > self._idle:
                return None

    def _entries(self) -> list[tuple[str, Mapping[bytes, bytes]]]:
        """Entries that were delivered before and not acknowledged, then new ones."""
        which = self._again or ">"
        with _reached():
            found = self._server.xreadgroup(self._group, "shoal", {self._key: which}, count=_COUNT, block=_WAIT)
        listed = found.items() if isinstance(found, Mapping) else found or []
        entries = [(number.decode(), fields) for _, some in listed for number, fields in _flat(some)]
        if self._again:
            self._again = entries[-1][0] if entries else ""
        self._delivered.extend(number for number, _ in entries)
        return [entry for entry in entries if entry[1] and _ordered(entry[0]) > self._held]

    def _incoming(self, entries: Sequence[tuple[str, Mapping[bytes, bytes]]]) -> Incoming:
        known = frozenset(self._names)
        records: list[dict[str, str | None]] = []
        places: list[str] = []
        refused: list[Refusal] = []
        for number, fields in entries:
            spelled = {_text(name): _text(value) for name, value in fields.items()}
            if not known.issuperset(spelled) or any("\ufffd" in value for value in spelled.values()):
                why = "a field that the plan does not know, or text that is not UTF-8"
                refused.append(Refusal(len(records), number, why, spelled))
            else:
                records.append({name: None if value in self._missing else value for name, value in spelled.items()})
                places.append(number)
        columns = {name: pa.array([record.get(name) for record in records], pa.string()) for name in self._names}
        return Incoming(pa.table(columns), pa.array(places, pa.string()), lambda row: records[row], True, refused)

    def settled(self, place: Place) -> None:
        last = _ordered(str(place))
        done: list[str] = []
        while self._delivered and _ordered(self._delivered[0]) <= last:
            done.append(self._delivered.popleft())
        with _reached():
            for first in range(0, len(done), _COUNT):
                self._server.xack(self._key, self._group, *done[first : first + _COUNT])


class RedisSink:
    """Rows as entries of a stream; the number of the last batch stands in ``KEY:batch``."""

    alone = True

    def __init__(self, url: str) -> None:
        self._server, options = _opened(url, ("key",))
        self._key = options["key"]
        self._last = 0

    def emit(self, number: int, data: bytes) -> None:
        with _reached():
            if int(self._server.get(f"{self._key}:batch") or 0) < number:
                together = self._server.pipeline(transaction=True)
                for row in msgspec.json.Decoder(dict[str, Any]).decode_lines(data):
                    together.xadd(self._key, {name: _word(value) for name, value in row.items() if value is not None})
                together.set(f"{self._key}:batch", number)
                together.execute()
        self._last = number

    def acknowledged(self) -> int:
        return self._last


def _flat(some: Any) -> Iterator[tuple[bytes, Mapping[bytes, bytes]]]:
    """Entries, however many lists this version of the protocol wraps them in."""
    for entry in some:
        if isinstance(entry, list) and entry and not isinstance(entry[0], bytes):
            yield from _flat(entry)
        else:
            yield entry[0], entry[1]


def _ordered(number: str) -> tuple[int, int]:
    """The number of an entry as one that can be compared."""
    moment, _, place = number.partition("-")
    return int(moment), int(place or 0)


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _word(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
