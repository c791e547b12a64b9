"""The anatomy form: quasi-identifiers as they are, sensitive values in tables of their own, joined by the class alone.

Paper        Xiao and Tao: Anatomy: Simple and Effective Privacy Preservation. VLDB 2006.
Promises     l, t and a least class size: whoever knows all quasi-identifiers of a person finds the class, and of the
             sensitive column how often each value occurs in it.
Protects     sensitive values alone: who is in the table, and with which quasi-identifiers, can be read off it.
Shows        `qit`: the class, quasi-identifiers and insensitive columns of each record; `sat_COLUMN` for each sensitive
             column: the class, each value that it holds, and how often. Classes are numbered by lot.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from shoal.plan.plan import Plan
from shoal.publish.draft import Draft
from shoal.publish.numbered import added, arranged, cells, counted, in_order, lots, numbers, plain
from shoal.release.manifest import PublishedColumn
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def publish(codes: Codes, classes: Classes, plan: Plan, column_order: Sequence[str], chance: Chance) -> Draft:
    """One table of all records without their sensitive columns, and one of each sensitive column."""
    classes = arranged(classes, lots(classes, chance))
    columns = {column.name: column for column in (*plan.quasi_identifying, *plan.insensitive)}
    shown = [plain(codes, columns[name], classes.order) for name in column_order if name in columns]
    rows = in_order(shown, classes.starts)
    tables = {"qit": pa.table({"class": numbers(classes.sizes), **cells(shown, rows)})}
    secret = [name for name in column_order if name in {column.name for column in plan.sensitive}]
    tables |= {f"sat_{name}": counted(codes, classes, name) for name in secret}
    meaning = {column.meaning.name: column.meaning for column in shown}
    meaning |= {name: PublishedColumn(name, "sensitive", "value", (name,)) for name in secret}
    described = [meaning[name] for name in column_order if name in meaning]
    link = codes.rows[classes.order[rows]]
    return Draft(tables, (added("class"), *described, added("count")), link, len(codes) - len(link))
