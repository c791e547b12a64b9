"""How close the classes of a release really are to the whole of it: closer, as a rule, than t asks.

The real closeness of Cao, Karras, Kalnis and Tan, "SABRE: a Sensitive Attribute Bucketization and REdistribution
framework for t-closeness", VLDB Journal 2011, Section 6.1: the largest earth mover's distance of a class. An outsider
can tell it from the release, whether or not t was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.plan.forms import FORMS
from shoal.privacy.requirements import Distance, TCloseness
from shoal.release.cells import distinct, is_ordered, texts
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import judges

__all__ = ["Farthest", "farthest"]

#: Of each sensitive column and each distance that its values have, how far the farthest class is from the whole.
Farthest = Mapping[str, Mapping[Distance, float]]


def farthest(published: Published, trees: Mapping[str, Hierarchy], *, own: bool = True) -> Farthest:
    """The distance of the farthest class, for each sensitive column; none where the form says nothing of t."""
    if "t" not in FORMS[published.form].promises:
        return {}
    asked = [
        TCloseness(1.0, column.name, distance)
        for column in published.columns
        if column.role == "sensitive"
        for distance in _distances(column.name, published, trees)
    ]
    found: dict[str, dict[Distance, float]] = {}
    for finding in judges.outside(published, asked, trees, own=own).findings if asked else ():
        match finding.requirement:
            case TCloseness(on=on, distance=distance) if distance is not None:
                found.setdefault(on, {})[distance] = finding.reached or 0.0  # none reach anything where there are none
    return found


def _distances(name: str, published: Published, trees: Mapping[str, Hierarchy]) -> list[Distance]:
    """The distances that the published values of a column have."""
    table = next((table for table in published.tables.values() if name in table.column_names), None)
    if table is None:
        return []
    values = distinct(table.column(name), name)[1].drop_null()
    found: list[Distance] = ["equal"]
    if is_ordered(values.type):
        found.append("ordered")
    if name in trees and all(text in trees[name].position for text in texts(values).to_pylist()):
        found.append("hierarchical")
    return found
