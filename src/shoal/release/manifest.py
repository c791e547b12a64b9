"""What a release says of itself: an allow-list, so that nothing of the original slips in."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.hierarchy import Hierarchy

#: How the quasi-identifier of a class is written.
#: ``value``: as it is; ``bounds``: two typed columns and one that tells missing values; ``text``: one column of text,
#: an interval, a node of a hierarchy, or a set in braces; ``centre``: the mean or the commonest value; ``randomized``:
#: a value that the record may have; ``bucketized``: a value of the record's bucket, and its number. The others are
#: columns that a form or a stream adds, whose role is ``added``: the number of a class or bucket, how many records
#: there are, and the numbers of a batch and a window.
Shown = Literal[
    "value", "bounds", "interval", "node", "set", "centre", "randomized", "bucketized", "class", "bucket", "count",
    "batch", "window",
]  # fmt: skip


class PublishedColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column of the original, and the published columns that speak of it, with their types; or an added one."""

    name: str
    role: str
    shown: Shown
    columns: tuple[str, ...]
    types: tuple[str, ...] = ()
    bottom: float | None = None
    top: float | None = None
    step: float | None = None


class Layout(msgspec.Struct, frozen=True):
    """Which columns of the original stand together, in rows of the buckets ``first`` to ``last``."""

    slices: tuple[tuple[str, ...], ...]
    first: int
    last: int


class Tree(msgspec.Struct, frozen=True):
    """A hierarchy over published values, its nodes in depth-first order; heights are those of the full hierarchy."""

    labels: tuple[str, ...]
    parent: tuple[int, ...]
    height: tuple[int, ...]

    @classmethod
    def of(cls, tree: Hierarchy | None) -> Tree | None:
        return None if tree is None else cls(tree.labels, tuple(tree.parent.tolist()), tuple(tree.height.tolist()))

    def hierarchy(self) -> Hierarchy:
        """The tree as the definitions of distances take it."""
        parent = np.array(self.parent, np.int32)
        inner = np.zeros(len(parent), np.bool_)
        inner[parent[1:]] = True
        first = np.asarray(np.cumsum(~inner) - ~inner, np.int64)
        last = first + 1
        for node in range(len(parent) - 1, 0, -1):  # a parent ends where its last child does
            last[parent[node]] = max(last[parent[node]], last[node])
        return Hierarchy(self.labels, parent, np.array(self.height, np.int32), first, last)


class Promise(msgspec.Struct, frozen=True, omit_defaults=True):
    """One requirement as asked, and what the weakest class reaches."""

    kind: Literal["k", "l", "t", "size"]
    asked: float
    reached: float | None = None
    on: str | None = None
    diversity: str | None = None
    c: float | None = None
    missing_is_sensitive: bool = False
    distance: str | None = None
    tree: Tree | None = None  # where t needs one: over published values only

    @classmethod
    def of(cls, requirement: Requirement, tree: Hierarchy | None) -> Promise:
        """A requirement with all its defaults filled in, as the manifest says it."""
        match requirement:
            case KAnonymity(k):
                return cls("k", k)
            case Size(size):
                return cls("size", size)
            case LDiversity(l, on, kind, c, missing):
                return cls("l", l, on=on, diversity=kind, c=c, missing_is_sensitive=missing)
            case TCloseness(t, on, distance):
                needs_tree = distance == "hierarchical" or (distance == "ordered" and tree is not None)
                return cls("t", t, on=on, distance=distance, tree=Tree.of(tree) if needs_tree else None)

    def requirement(self) -> Requirement:
        """The requirement that was asked."""
        match self.kind:
            case "k":
                return KAnonymity(int(self.asked))
            case "size":
                return Size(int(self.asked))
            case "l":
                return LDiversity(self.asked, self.on, self.diversity or "frequency", self.c, self.missing_is_sensitive)  # type: ignore[arg-type]
            case "t":
                return TCloseness(self.asked, self.on or "", self.distance)  # type: ignore[arg-type]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that is written beside the tables. Anything not named here stays at home."""

    shoal: str
    form: str
    method: str
    options: dict[str, str | int | float | bool]
    tables: list[str]
    columns: list[PublishedColumn]
    layouts: list[Layout] = []
    require: list[Promise]
    records: int
    suppressed: int

    def encode(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    @classmethod
    def decode(cls, data: bytes) -> Manifest:
        return msgspec.json.decode(data, type=cls)
