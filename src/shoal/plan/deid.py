"""An ARX project as a plan: its text, the files that it names, and what of the project it does not hold."""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import PlanError
from shoal.schema import deid
from shoal.schema.columns import ROLES, Role
from shoal.schema.deid import Attribute, Criterion, Project

__all__ = ["Unpacked", "unpack"]

_ROLES: Mapping[str, Role] = {
    "IDENTIFYING_ATTRIBUTE": "identifying",
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi-identifying",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "INSENSITIVE_ATTRIBUTE": "insensitive",
}
_TYPES = {"String": "text", "Ordinal": "text", "Integer": "integer", "Decimal": "number"}
_DATES = {"yyyy-MM-dd": "date", "yyyy-MM-dd HH:mm:ss": "datetime"}
_RECORDS = "input.csv"

#: What of a project's text is said again, at most.
_LONGEST = 300


@dataclass
class Unpacked:
    """A plan that stands in a file, the files beside it, and what of the project could not be said in it."""

    plan: Path
    toml: str = ""
    files: list[Path] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "plan": str(self.plan),
            "toml": self.toml,
            "files": [str(path) for path in self.files],
            "left_out": self.left_out,
        }


def unpack(project: str | os.PathLike[str], plan: Path, *, force: bool = False) -> Unpacked:
    """Write the project's records and hierarchies beside ``plan``, for their owner only, and the plan itself.

    If anything fails, no file is left.
    """
    told = deid.read(Path(project))
    names = [attribute.name for attribute in told.attributes]
    if "" in names or len(set(names)) < len(names):
        raise PlanError("the project has columns without a name, or with the same: name them in ARX first")
    found = Unpacked(plan)
    folder = plan.parent
    places = _places(told.attributes)
    wanted = [folder / name for name in (*places.values(), *([_RECORDS] if told.has_records else []), plan.name)]
    if not force and (there := [path.name for path in wanted if path.exists()]):
        raise PlanError(f"there already: {', '.join(there)}; choose another folder with --out, or replace with --force")
    try:
        encoding = None
        if told.has_records:
            encoding = _write(folder / _RECORDS, deid.records(told), found)
        for attribute in told.attributes:
            if attribute.name in places:
                _write(folder / places[attribute.name], deid.hierarchy(told, attribute), found)
        found.toml = "\n".join(_Said(told, places, encoding, found.left_out).lines()) + "\n"
        plan.write_text(found.toml, encoding="utf-8")
    except BaseException:
        for path in found.files:
            path.unlink(missing_ok=True)
        raise
    return found


def _places(attributes: Sequence[Attribute]) -> dict[str, str]:
    """Where the hierarchies go: under names made here, whatever the columns are called."""
    taken: dict[str, str] = {}
    for number, attribute in enumerate(attributes, 1):
        if attribute.hierarchy is None or _ROLES.get(attribute.type) not in ("quasi-identifying", "sensitive"):
            continue
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", attribute.name).strip("-")[:100]
        place = f"hierarchies/{plain}.csv"
        if not plain or place.casefold() in {other.casefold() for other in taken.values()}:
            place = f"hierarchies/column-{number}.csv"
        taken[attribute.name] = place
    return taken


def _write(path: Path, blocks: Iterable[bytes], found: Unpacked) -> str | None:
    """A file that only its owner can read; its encoding, where it is not UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    found.files.append(path)
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoding = None
    with os.fdopen(descriptor, "wb") as file:
        for block in blocks:
            file.write(block)
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                encoding = "cp1252"
                decoder.reset()
    return encoding


# -- the plan ---------------------------------------------------------------------------------------------------


class _Said:
    """One pass over a project, line by line, collecting what a plan cannot say."""

    def __init__(self, project: Project, places: Mapping[str, str], encoding: str | None, left_out: list[str]) -> None:
        self.project = project
        self.places = places
        self.encoding = encoding
        self.left_out = left_out

    def lines(self) -> list[str]:
        body = ["[columns]", *self._columns(), "", "[require]", *self._require()]
        self._note_the_rest()
        head = [
            f"# The ARX project {_flat(self.project.path.name)} as a plan. Read every line; then: shoal check PLAN",
            *(f"# Not taken over: {_flat(said)}" for said in self.left_out),
            "",
        ]
        if self.project.has_records:
            head += [f"table = {_text(_RECORDS)}", ""]
        head += [*self._reading(), ""]
        return [*head, *body, "", "[method]", 'name = "mondrian"']

    def _reading(self) -> Iterator[str]:
        yield "[read]"
        if self.project.delimiter:
            yield f"delimiter = {_text(self.project.delimiter)}"
        if self.encoding:
            yield f"encoding = {_text(self.encoding)}"
        yield 'missing = ["", "NULL"]  # as ARX writes that nothing is known'
        types = {a.name: kind for a in self.project.attributes if (kind := self._type(a))}
        if types:
            yield f"types = {{ {', '.join(f'{_key(name)} = {_text(kind)}' for name, kind in types.items())} }}"

    def _type(self, attribute: Attribute) -> str | None:
        """How a column is to be read; with a hierarchy it stays as it is written."""
        if attribute.name in self.places or self._role(attribute) == "identifying":
            return None
        if attribute.datatype == "Date/Time":
            return _DATES.get(attribute.format or "", "text")
        if attribute.datatype == "Decimal" and attribute.format:
            return None
        return _TYPES.get(attribute.datatype)

    def _role(self, attribute: Attribute) -> Role:
        return _ROLES.get(attribute.type, "identifying")

    def _columns(self) -> Iterator[str]:
        for role in ROLES:
            for attribute in self.project.attributes:
                if self._role(attribute) == role:
                    yield f"{_key(attribute.name)} = {self._column(attribute, role)}"

    def _column(self, attribute: Attribute, role: Role) -> str:
        if attribute.name not in self.places:
            return _text(role)
        return f"{{ role = {_text(role)}, hierarchy = {_text(self.places[attribute.name])} }}"

    def _require(self) -> Iterator[str]:
        asked: dict[str, dict[str, str]] = {"l": {}, "t": {}}
        k = None
        for criterion in self.project.criteria:
            if criterion.kind == "anonymity" and k is None:
                k = criterion.figures[0]
            elif not self._asked(criterion, asked):
                self.left_out.append(f"the privacy model {criterion.text}")
        if k is None and not any(asked.values()):
            k = "5"
            yield "# No privacy model of the project can be said here. This one is a proposal, and not the project's:"
        if k is not None:
            yield f"k = {k}"
        for letter, told in asked.items():
            if told:
                yield f"{letter} = {{ {', '.join(f'{_key(on)} = {how}' for on, how in told.items())} }}"
        if self.project.suppress is not None:
            yield f"suppress = {self.project.suppress}  # the share of records that may be left out"

    def _asked(self, criterion: Criterion, asked: dict[str, dict[str, str]]) -> bool:
        """Whether the plan can ask for this, beside what it asks for already."""
        on = criterion.on or self._only_sensitive()
        roles = {attribute.name: self._role(attribute) for attribute in self.project.attributes}
        if on is None or roles.get(on) != "sensitive" or criterion.kind == "unknown":
            return False
        told = asked["t" if criterion.kind == "closeness" else "l"]
        if on in told:
            return False
        told[on] = _how(criterion)
        return True

    def _only_sensitive(self) -> str | None:
        names = [a.name for a in self.project.attributes if self._role(a) == "sensitive"]
        return names[0] if len(names) == 1 else None

    def _note_the_rest(self) -> None:
        """What is no privacy model and is not taken over either."""
        for attribute in self.project.attributes:
            name = attribute.name
            if attribute.type not in _ROLES:
                self.left_out.append(
                    f"the column {name} has no role in the project: it is identifying here, so dropped"
                )
            if attribute.lost:
                self.left_out.append(f"the hierarchy of {name}: the project does not hold it")
            if attribute.limits:
                self.left_out.append(f"the least and greatest level of the hierarchy of {name}: any may be used")
            if attribute.microaggregated:
                self.left_out.append(f"the microaggregation of {name}")
            dated = attribute.datatype == "Date/Time" and attribute.format not in _DATES
            if dated and name not in self.places and self._role(attribute) != "identifying":
                self.left_out.append(f"the format of the dates of {name}: they are read as text")
        if self.project.metric:
            self.left_out.append(f"the quality measure {self.project.metric}: methods have their own")
        if self.project.weighted:
            self.left_out.append("the weights of the columns")
        if not self.project.has_records:
            self.left_out.append("the table: there is none in the project")
        if any(self._role(attribute) == "identifying" for attribute in self.project.attributes):
            self.left_out.append("counting rows: where an identifying column repeats values, people are counted")


def _how(criterion: Criterion) -> str:
    """What a plan asks of one column."""
    figures = [_number(figure) if figure and figure[0].isdigit() else figure for figure in criterion.figures]
    match criterion.kind:
        case "closeness":
            distance = f", distance = {_text(figures[1])}" if figures[1] else ""
            return f"{{ max = {figures[0]}{distance} }}"
        case "recursive":
            return f'{{ min = {figures[1]}, kind = "recursive", c = {figures[0]} }}'
        case kind:
            return f"{{ min = {figures[0]}, kind = {_text(kind)} }}"


def _number(figure: str) -> str:
    """A figure as TOML has it; ARX writes 4.0 for 4, and 1.0E-4."""
    value = float(figure)
    return str(int(value)) if value.is_integer() else repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    """A text as TOML quotes it, which but for one character is how JSON does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _flat(text: str) -> str:
    """A text within a comment, which ends with its line."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())[:_LONGEST]
