"""What the requirements mean for this release: on which columns, and by which distance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.privacy.distances import Equal, GroundDistance, Hierarchical, Ordered
from shoal.privacy.requirements import Distance, LDiversity, Requirement, TCloseness
from shoal.release.cells import is_ordered, texts
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy
from shoal.verify.values import Values

#: As many values as an error's details show.
_QUOTED = 10


def requirements(
    asked: Sequence[Requirement], columns: Sequence[PublishedColumn], table: pa.Table
) -> tuple[Requirement, ...]:
    """The same, with all said that was left to the release: each names its column, and t its distance."""
    sensitive = [column.name for column in columns if column.role == "sensitive"]
    return tuple(clear for requirement in asked for clear in _resolved(requirement, sensitive, table))


def _resolved(requirement: Requirement, sensitive: Sequence[str], table: pa.Table) -> Iterator[Requirement]:
    if not isinstance(requirement, LDiversity | TCloseness):
        yield requirement
        return
    if requirement.on is not None and requirement.on not in sensitive:
        raise DataError(f"{requirement}: {requirement.on or 'no column'} is not a sensitive column of the release")
    if not sensitive:
        raise DataError(f"{requirement}: the release has no sensitive column")
    if isinstance(requirement, LDiversity):
        for name in [requirement.on] if requirement.on is not None else sensitive:
            yield replace(requirement, on=name)
    else:
        yield replace(requirement, distance=requirement.distance or _natural(table.column(requirement.on).type))


def _natural(kind: pa.DataType) -> Distance:
    return "ordered" if is_ordered(kind.value_type if pa.types.is_dictionary(kind) else kind) else "equal"


@dataclass(frozen=True, eq=False)
class Ground:
    """A distance between values, and the order of values in which it is written."""

    distance: GroundDistance
    order: NDArray[np.int64]


def ground(requirement: TCloseness, values: Values, trees: Mapping[str, Hierarchy]) -> Ground:
    """The distance of a resolved requirement, over the values of its column; missing has the last place."""
    natural = np.arange(values.width)
    if requirement.distance == "equal":
        return Ground(Equal(), natural)
    if requirement.distance == "ordered" and values.ordered:
        return Ground(Ordered(), natural)
    if values.name not in trees:
        raise DataError(
            f"{requirement}: the column {values.name} needs a hierarchy, for the order of its values: give a plan "
            "that says which (name its file; if it is to be built from the table, give the original too)"
        )
    tree, order = _in_leaf_order(values, trees[values.name])
    order = np.append(order, natural[values.known :])
    return Ground(Hierarchical(tree) if requirement.distance == "hierarchical" else Ordered(), order)


def _in_leaf_order(values: Values, tree: Hierarchy) -> tuple[Hierarchy, NDArray[Any]]:
    """The part of the tree that speaks of these values, and the values by its leaves."""
    written = texts(values.held)
    place = pc.index_in(written, pa.array(tree.leaves, pa.string()))
    if place.null_count:
        strange = written.filter(place.is_null())
        raise DataError(
            f"{len(strange):,} value(s) of the published column {values.name} are not in its hierarchy: "
            "add a row for each",
            details={"values": strange.slice(0, _QUOTED).to_pylist()},
        )
    return tree.keep(written.to_pylist()), np.argsort(place.to_numpy(zero_copy_only=False), kind="stable")
