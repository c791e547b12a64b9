"""Everything but publishing: what is wrong with a plan and its table, and what the table could keep."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError, ShoalError, Unachievable
from shoal.partition.eligible import allowed, asked, beyond, cap_of, counts_of, judged_of, strongest
from shoal.plan import toml
from shoal.plan.plan import Plan
from shoal.plan.toml import Parts
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema import arx
from shoal.schema.columns import Column, Intervals, Numeric, Prefixes
from shoal.schema.hierarchy import Hierarchy
from shoal.table import building, sources
from shoal.table import codes as coding
from shoal.table import domain as domains
from shoal.table.checks import differences
from shoal.table.codes import Codes, person_column
from shoal.table.domain import Domain
from shoal.table.masks import held_sensitive
from shoal.table.naming import check_nobody_named
from shoal.table.texts import texts

Level = Literal["error", "unachievable", "warning", "note"]
Coded = tuple[NDArray[np.unsignedinteger[Any]], Domain]

_LEVELS: tuple[Level, ...] = ("error", "unachievable", "warning", "note")
_STATUS: Mapping[Level, int] = {"error": 2, "unachievable": 3}


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, or worth knowing. An error, and what is unachievable, would stop a release."""

    level: Level
    where: str
    says: str
    kind: str = ""  # the error that would stop it


@dataclass(frozen=True)
class Reach:
    """How much of one requirement the table allows.

    ``asked`` is none where the plan does not ask for it. ``largest`` is the largest k or l that can be kept with every
    record; ``leave_out`` how many records would have to be left out to keep what is asked, none if no number helps.
    ``commonest`` is the share of the commonest known value of a sensitive column.
    """

    what: str
    asked: float | None
    largest: float | None
    leave_out: int | None = 0
    values: int | None = None
    commonest: float | None = None
    missing: int = 0


@dataclass(frozen=True)
class Findings:
    """All that is wrong with a plan and its table, the worst first, and what can be reached."""

    faults: Sequence[Fault]
    reach: Sequence[Reach] = ()
    records: int | None = None
    people: int | None = None

    @property
    def exit_status(self) -> int:
        """2 where something would stop a release, 3 where the table cannot keep what is asked, else 0."""
        found = {_STATUS.get(fault.level, 0) for fault in self.faults}
        return 2 if 2 in found else max(found, default=0)

    @property
    def holds(self) -> bool:
        return self.exit_status == 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "records": self.records,
            "people": self.people,
            "faults": [asdict(fault) for fault in self.faults],
            "reach": [asdict(reach) for reach in self.reach],
        }


def check(plan: Plan | str | os.PathLike[str], table: Any = None) -> Findings:
    """What would stop a release of this table by this plan, all of it at once, and what the table could keep.

    ``plan`` is a plan or its file, which may be wrong. Without a table, given or named in the plan, only the plan is
    looked at.
    """
    checking = _Checking()
    whole, parts = checking.plan(plan)
    if parts is not None:
        held = checking.table(table, parts)
        trees = checking.hierarchies(parts, held)
        if held is not None:
            coded = checking.columns(held, parts, trees, whole)
            if whole is not None and not checking.stopped:
                checking.promises(held, whole, coded)
    faults = sorted(checking.faults, key=lambda fault: _LEVELS.index(fault.level))
    return Findings(faults, checking.reach, checking.records, checking.people)


@dataclass
class _Checking:
    """One pass over a plan and a table, collecting what is wrong instead of stopping at it."""

    faults: list[Fault] = field(default_factory=list)
    reach: list[Reach] = field(default_factory=list)
    records: int | None = None
    people: int | None = None

    @property
    def stopped(self) -> bool:
        return any(fault.level == "error" for fault in self.faults)

    def plan(self, given: Plan | str | os.PathLike[str]) -> tuple[Plan | None, Parts | None]:
        """The plan if it has no mistakes, and what can be understood of it in any case."""
        if isinstance(given, Plan):
            named = tuple(column.name for column in given.columns)
            return given, Parts(given.columns, named, given.read_options, given.table)
        path = Path(given)
        whole = None
        try:
            whole = Plan.read(path)
        except PlanError as error:
            self.faults += [Fault("error", p.key or "plan", p.says, "PlanError") for p in error.problems]
        try:
            return whole, toml.read_parts(path)
        except PlanError:  # not a plan at all, which was said already
            return None, None

    def table(self, given: Any, parts: Parts) -> pa.Table | None:
        """The table, where there is one that can be read; its columns compared with the plan's."""
        given = parts.table if given is None else given
        if given is None:
            self._say("note", "table", "none was given or named in the plan, so only the plan was looked at")
            return None
        as_text = [column.name for column in parts.columns if column.stays_text]
        try:
            held = sources.read(given, parts.read_options, as_text=as_text).table
        except ShoalError as error:
            self._error("table", error)
            return None
        known = {column.name for column in parts.columns}
        spoken_of = [Column(name, "insensitive") for name in parts.named if name not in known]
        for says in differences(held.column_names, (*parts.columns, *spoken_of)):
            self._say("error", "table", says)
        self.records = held.num_rows
        return held

    def _error(self, where: str, error: ShoalError) -> None:
        level: Level = "unachievable" if isinstance(error, Unachievable) else "error"
        if all(error.message != known.says for known in self.faults):
            self.faults.append(Fault(level, where, error.message, type(error).__name__))

    def _say(self, level: Level, where: str, says: str) -> None:
        self.faults.append(Fault(level, where, says, "DataError" if level == "error" else ""))

    # -- hierarchies and columns ------------------------------------------------------------------------------

    def hierarchies(self, parts: Parts, held: pa.Table | None) -> dict[str, Hierarchy]:
        """The hierarchies that can be used, each looked over with the values of the table."""
        found = {}
        for column in parts.columns:
            how = column.hierarchy
            if isinstance(how, Path) and not how.is_file():
                continue  # which is a mistake of the plan, and was said
            tree = self._built(column, held) if how is None else self._hierarchy(column, how, held)
            if tree is not None:
                found[column.name] = tree
        return found

    def _built(self, column: Column, held: pa.Table | None) -> Hierarchy | None:
        """A hierarchy made from the values of the table, if the plan asks for one that can be made."""
        how = column.coarsening
        if held is None or column.name not in held.column_names or not isinstance(how, Prefixes | Intervals):
            return None
        try:
            return building.of_column(column, how, held.column(column.name))
        except DataError as error:
            self._error(f"columns.{column.name}", error)
            return None

    def _hierarchy(self, column: Column, how: Hierarchy | Path, held: pa.Table | None) -> Hierarchy | None:
        where = f"columns.{column.name}"
        values = None
        if held is not None and column.name in held.column_names:
            values = texts(pa.array(domains.occurring(held.column(column.name)))).to_pylist()
        source = how if isinstance(how, Path) else how.rows()
        try:
            found = arx.lint(source, values, column=column.name)
            for fault in found:
                self._say(fault.level, where, f"its hierarchy: {fault.says}")
            if any(fault.level == "error" for fault in found):
                return None
            return arx.read(how, column=column.name) if isinstance(how, Path) else how
        except DataError as error:
            self._error(where, error)
            return None

    def columns(
        self, held: pa.Table, parts: Parts, trees: Mapping[str, Hierarchy], whole: Plan | None
    ) -> dict[str, Coded]:
        """Every column that would be published, as codes, where it can be coded."""
        allow_unique = () if whole is None else whole.allow_unique
        wanted = [
            column
            for column in parts.columns
            if column.name in held.column_names
            and column.role != "identifying"
            and (not column.has_hierarchy or column.name in trees)
        ]

        def one(column: Column) -> Coded | DataError:
            try:
                return coding.encode_column(held, column, trees, allow_unique)
            except DataError as error:
                return error

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(one, wanted))
        found: dict[str, Coded] = {}
        for column, result in zip(wanted, results, strict=True):
            if isinstance(result, DataError):
                self._error(f"columns.{column.name}", result)
            else:
                found[column.name] = result
                self._look_at(column, *result, least=_least(whole))
        return found

    def _look_at(self, column: Column, code: NDArray[np.unsignedinteger[Any]], domain: Domain, *, least: int) -> None:
        """What a column gives away by single values."""
        counts = np.bincount(code, minlength=len(domain))[: domain.known]
        where = f"columns.{column.name}"
        alone = int((counts == 1).sum())
        if column.role == "insensitive" and alone:
            says = f"{alone:,} of its {len(counts):,} values are held by one record only: whoever knows one finds it"
            self._say("note", where, says)
        if column.role not in ("quasi-identifying", "semi-sensitive") or domain.kind != "number" or len(counts) < 2:
            return
        ends = [end for end, records in (("smallest", counts[0]), ("largest", counts[-1])) if records < least]
        if not pa.types.is_temporal(domain.values.type) and _not_coded(column, ends):
            edges, said = " and its ".join(ends), " and ".join("top" if end == "largest" else "bottom" for end in ends)
            says = f"fewer than {least} records hold its {edges} value, which a range may show as it is: say {said}"
            self._say("note", where, says)

    # -- promises ---------------------------------------------------------------------------------------------

    def promises(self, held: pa.Table, plan: Plan, coded: Mapping[str, Coded]) -> None:
        """Who is counted, and what the table allows of each requirement."""
        try:
            check_nobody_named(held, plan)
        except DataError as error:
            self._error("columns", error)
            return
        if not self._masks(held, plan):
            return
        roles = (plan.quasi_identifying, plan.sensitive, plan.semi_sensitive, plan.insensitive)
        order = [coded[column.name] for columns in roles for column in columns]
        try:
            codes = coding.assembled(order, held, plan, np.arange(held.num_rows, dtype=np.uint32))
        except DataError as error:
            self._error("person", error)
            return
        self._count_people(held, plan, codes)
        try:
            requirements = asked(plan, codes.protected_domains)
        except DataError as error:
            self._error("require", error)
            return
        self._reached(codes, requirements)
        for requirement in requirements:
            self._try(codes, [requirement], plan.suppress)
        if all(fault.level not in _STATUS for fault in self.faults):
            self._try(codes, requirements, plan.suppress)  # what each alone allows, all together may not

    def _try(self, codes: Codes, requirements: Sequence[Requirement], suppress: float) -> None:
        try:
            allowed(codes, requirements, suppress)
        except ShoalError as error:
            self._error("require", error)

    def _masks(self, held: pa.Table, plan: Plan) -> bool:
        """For how many each semi-sensitive column is sensitive; whether that can be decided for all columns."""
        decided = True
        for column in plan.semi_sensitive:
            where = f"columns.{column.name}"
            try:
                holds = held_sensitive(held, column)
                self._say("note", where, f"{int(holds.sum()):,} of {len(holds):,} records hold it sensitive")
            except DataError as error:
                self._error(f"{where}.mask", error)
                decided = False
        return decided

    def _count_people(self, held: pa.Table, plan: Plan, codes: Codes) -> None:
        self.people = len(codes) if codes.people is None else len(np.unique(codes.people))
        if plan.person == "row":
            return
        if not plan.identifying:
            says = (
                'no column tells people apart, so rows are counted: say person = "row" if each is a person of its own'
            )
            self._say("note", "person", says)
        column = person_column(held, plan)
        if plan.person is None and column is not None:
            says = (
                f"{column} repeats values, so rows that share one are taken for one person ({self.people:,} in "
                f'{len(codes):,} rows): say person = "row" if each row is a person of its own, or person = "{column}"'
            )
            self._say("note", "person", says)

    def _reached(self, codes: Codes, requirements: Sequence[Requirement]) -> None:
        people = self.people or 0
        spoken_of = set()
        for requirement in requirements:
            match requirement:
                case KAnonymity(least) | Size(least):
                    enough = 0 if people >= least or not len(codes) else None
                    self.reach.append(Reach(str(requirement), least, people, enough))
                case LDiversity(on=on):
                    spoken_of.add(on)
                    self.reach.append(_diversity(codes, requirement, asked_for=True))
                case TCloseness(t=t, on=on):
                    spoken_of.add(on)
                    self.reach.append(Reach(str(requirement), t, None))
        for domain in codes.protected_domains:
            if domain.name not in spoken_of:
                self.reach.append(_diversity(codes, LDiversity(2, domain.name), asked_for=False))


def _diversity(codes: Codes, requirement: LDiversity, *, asked_for: bool) -> Reach:
    """What the table allows of an l, by the counts of its sensitive values."""
    place = [domain.name for domain in codes.protected_domains].index(str(requirement.on))
    domain, counts = codes.protected_domains[place], counts_of(codes, None)[place]
    known = counts[: domain.known]
    vacuous = not counts.any() and codes.holders(domain.name) is not None  # nobody holds it sensitive
    cap = cap_of(requirement, counts, domain.known) if len(codes) and not vacuous else 0
    return Reach(
        what=str(requirement) if asked_for else f"l on {requirement.on}",
        asked=requirement.l if asked_for else None,
        largest=None if vacuous else strongest(requirement, counts, domain.known),
        leave_out=None if cap is None else beyond(cap, counts[: judged_of(requirement, domain)]),
        values=int((known > 0).sum()),
        commonest=float(known.max(initial=0) / known.sum()) if known.any() else None,
        missing=int(counts[domain.known :].sum()),
    )


def _least(plan: Plan | None) -> int:
    """The smallest class that a plan allows."""
    required = () if plan is None else plan.require
    sizes = [r.k if isinstance(r, KAnonymity) else r.size for r in required if isinstance(r, KAnonymity | Size)]
    return max(sizes, default=2)


def _not_coded(column: Column, ends: Sequence[str]) -> bool:
    """Whether the plan leaves one of these ends of the column as it is."""
    how = column.coarsening if isinstance(column.coarsening, Numeric) else Numeric()
    said = {"smallest": how.bottom, "largest": how.top}
    return any(said[end] is None for end in ends)
