"""What can be done with a published table: judge it, measure it, ask it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa

from shoal._opened import Opened, opened
from shoal.errors import DataError
from shoal.plan.plan import Plan, Read
from shoal.privacy.requirements import KAnonymity
from shoal.privacy.verdict import Verdict
from shoal.release.published import Published
from shoal.table import sources
from shoal.table.codes import person_column
from shoal.verify import judges, together
from shoal.verify.suppressed import split

if TYPE_CHECKING:
    from shoal.measure.queries.answering import Answer
    from shoal.measure.query_error import QueryError, Workload
    from shoal.measure.rules import Rules
    from shoal.measure.scores import Scores


def verify(published: Any, plan: Plan | None = None, original: Any = None, *, also: Any = None) -> Verdict:
    """What the judges find of anybody's release.

    ``published`` is a release, its folder, a file or a table. Without a plan its manifest's claims are judged. With the
    original, the keeper judges too: that every record is accounted for, covered, and unchanged where it should be.
    ``also`` is another release of the same people: how many sensitive values stay possible to someone who has both?
    """
    if also is not None and original is None:
        raise DataError("what two releases give away together is said of the people of the original: give it too")
    held = opened(published, plan)
    table = None if original is None else original_of(original, held)
    held = held if table is None else held.beside(table)
    verdict = judges.outside(held.published, held.require, held.trees, persons_known=held.people_known, own=held.own)
    if table is None:
        return verdict
    kept = judges.Kept(
        table,
        held.originals,
        missing=tuple(_read_options(held).missing),
        person=None if held.plan is None else person_column(table, held.plan),
        suppress=1.0 if held.plan is None else held.plan.suppress,
        allow_unique=() if held.plan is None else held.plan.allow_unique,
    )
    verdict = verdict.and_also(judges.inside(held.published, held.require, held.trees, kept, own=held.own))
    if also is None:
        return verdict
    other = opened(also, plan).beside(table)
    new, old = (together.Party.of(one.published, one.trees, own=one.own) for one in (held, other))
    return verdict.and_also(together.judge(new, old, held.require, table, kept.missing))


def measure(
    published: Any,
    original: Any = None,
    *,
    plan: Plan | None = None,
    population: Any = None,
    queries: int | Workload | None = None,
    rules: tuple[float, float] | None = None,
) -> Scores:
    """What a release cost and what risk is left; loss needs the original, and hierarchies the plan.

    ``population`` is a table of everybody from whom the records were drawn, with the same quasi-identifiers: it gives
    the journalist's risk. ``queries`` asks the release and the original so many random counts, and says how far apart
    the answers are; ``rules``, a support and a confidence, counts the association rules of the original, and those that
    are found again in the release. Both need the original.
    """
    from shoal.measure.closeness import farthest
    from shoal.measure.kept import correspondences
    from shoal.measure.measuring import measure as scores

    held = opened(published, plan)
    table = None if original is None else original_of(original, held)
    held = held if table is None else held.beside(table)
    everybody = None if population is None else original_of(population, held)
    sizes = [requirement.k for requirement in held.require if isinstance(requirement, KAnonymity)]
    shown, left_out = _shown(held)
    found = scores(
        shown.rows,
        held.published.columns,
        original=table,
        trees={} if held.plan is None else held.trees,  # a manifest's speak of sensitive values alone
        suppressed=left_out,
        k=max(sizes, default=None),
        population=everybody,
        missing=tuple(_read_options(held).missing),
        farthest=farthest(held.published, held.trees, own=held.own),
    )
    found = replace(found, correspondence=correspondences(shown, table, _read_options(held).missing))
    if queries is not None:
        found = replace(found, queries=_query_error(held, shown, table, queries))
    return found if rules is None else replace(found, rules=_rules(held, shown, table, rules))


def _query_error(held: Opened, shown: Published, original: pa.Table | None, queries: int | Workload) -> QueryError:
    from shoal.measure.query_error import Workload, query_error

    if original is None:
        raise DataError("random queries compare the release with the original table, which was not given")
    asked = queries if isinstance(queries, Workload) else Workload(queries)
    return query_error(shown, original, held.trees, asked, own=held.own)


def _rules(held: Opened, shown: Published, original: pa.Table | None, asked: tuple[float, float]) -> Rules:
    from shoal.measure.rules import rules_kept

    if original is None:
        raise DataError("rules are those of the original table, which was not given")
    trees = {} if held.plan is None else held.trees
    return rules_kept(shown.rows, held.published.columns, original, trees, tuple(_read_options(held).missing), *asked)


@overload
def query(
    published: Any,
    what: str,
    where: Mapping[str, Any] | None = None,
    *,
    plan: Plan | None = None,
    original: Any = None,
) -> Answer: ...
@overload
def query(
    published: Any,
    what: str,
    where: Sequence[Mapping[str, Any]],
    *,
    plan: Plan | None = None,
    original: Any = None,
) -> list[Answer]: ...
def query(
    published: Any,
    what: str,
    where: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    plan: Plan | None = None,
    original: Any = None,
) -> Answer | list[Answer]:
    """What a release says of ``COUNT(*)``, ``SUM(column)`` or ``AVG(column)``: an estimate, and sure bounds.

    ``where`` says of columns what is asked of them, and all must hold: a value, a collection of values of which any
    will do, ``shoal.between(low, high)``, or None for a missing value. A label of a hierarchy stands for all that is
    below it. A list of such mappings gives a list of answers, and is the fast way to ask much.

    The plan says by which hierarchies columns are published; if it wants them built, the original is needed for that
    and for nothing else. Bounds hold of the published records; nothing is known of those that were left out.
    """
    from shoal.measure.queries import question
    from shoal.measure.queries.answering import answers
    from shoal.measure.queries.sheets import Sheets

    wanted, asked = question.aggregate(what), question.questions(where)
    held = opened(published, plan)
    held = held if original is None else held.beside(original_of(original, held))
    shown, left_out = _shown(held)
    found = answers(Sheets(shown, held.trees, held.own), wanted, asked, left_out)
    return found[0] if where is None or isinstance(where, Mapping) else found


def _shown(held: Opened) -> tuple[Published, int]:
    """The published records that say something, and how many do not, or were left out."""
    if held.own:
        return held.published, held.suppressed
    shown = split(held.table, held.published.columns).shown
    tables = {**held.published.tables, next(iter(held.published.tables)): shown}
    return replace(held.published, tables=tables), held.suppressed + held.table.num_rows - shown.num_rows


def original_of(given: Any, held: Opened) -> pa.Table:
    """The original as its owner reads it."""
    as_text = [column.name for column in held.originals if column.stays_text]
    return sources.read(given, _read_options(held), as_text=as_text).table


def _read_options(held: Opened) -> Read:
    return Read() if held.plan is None else held.plan.read_options
