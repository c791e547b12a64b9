"""ARX projects: what a ``.deid`` file says of a table, of its hierarchies and of what must hold.

A project is a ZIP of plain text. It may come from anywhere, so nothing in it is trusted: members are read by the few
names that a project has and never unpacked by names of their own, no more is read than a project needs, and XML that
declares a document type or entities is refused. The Java objects in it are never looked at.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from shoal.errors import DataError

__all__ = ["Attribute", "Criterion", "Project", "hierarchy", "read", "records"]

_DEFINITION, _CONFIG, _PROJECT = "input/definition.xml", "input/config.xml", "project.xml"
_RECORDS = "data/input.csv"
_FOLDER = "input/"

#: What a member may hold, in bytes: descriptions, a hierarchy, the records.
_XML_MOST, _HIERARCHY_MOST, _RECORDS_MOST = 16 << 20, 256 << 20, 8 << 30
_MEMBERS_MOST = 10_000

#: Text is packed to a tenth or so; what is packed to less than this share of itself is made to fill a disk.
_PACKED_LEAST = 1 / 200
_SMALL = 1 << 20
_BLOCK = 1 << 20

_NUMBER = r"([0-9]+(?:\.[0-9]+)?(?:E-?[0-9]+)?)"
_ON = r"(?: for attribute '(.*)')?"
_CRITERIA = {
    "anonymity": re.compile(r"([0-9]+)-anonymity"),
    "distinct": re.compile(rf"distinct-{_NUMBER}-diversity{_ON}"),
    "entropy": re.compile(rf"(?:shannon-)?entropy-{_NUMBER}-diversity{_ON}"),
    "recursive": re.compile(rf"recursive-\({_NUMBER}, ?([0-9]+)\)-diversity{_ON}"),
    "closeness": re.compile(rf"{_NUMBER}-closeness(?: with (equal|ordered|hierarchical)[ -]distance)?{_ON}"),
}


@dataclass(frozen=True)
class Attribute:
    """A column of the project, in ARX's words."""

    name: str
    type: str
    datatype: str
    format: str | None
    hierarchy: str | None  # the member of the archive that holds it
    lost: bool  # whether a hierarchy is referred to that the archive does not hold
    limits: bool  # whether levels of the hierarchy may not all be used
    microaggregated: bool


@dataclass(frozen=True)
class Criterion:
    """A privacy model of the project: its kind and figures, or the kind ``unknown``."""

    text: str
    kind: str
    figures: tuple[str | None, ...] = ()
    on: str | None = None


@dataclass(frozen=True)
class Project:
    """What the text of a project says, as far as Shoal asks."""

    path: Path
    delimiter: str | None
    attributes: Sequence[Attribute]
    criteria: Sequence[Criterion]
    suppress: float | None
    metric: str | None
    weighted: bool  # whether some columns were to be kept more than others
    has_records: bool


def read(path: Path) -> Project:
    """The project in a file; its records and hierarchies stay where they are."""
    with _archive(path) as archive:
        members = set(archive.namelist())
        if _DEFINITION not in members:
            raise DataError(f"{path.name} is not an ARX project with a table: it has no {_DEFINITION}")
        definition = _xml(archive, _DEFINITION)
        config = _xml(archive, _CONFIG) if _CONFIG in members else ElementTree.Element("config")
        project = _xml(archive, _PROJECT) if _PROJECT in members else ElementTree.Element("project")
    weights = {element.text for element in config.iter("weight")}
    return Project(
        path,
        project.findtext("separator"),
        [_attribute(element, members) for element in definition if element.tag in ("assigment", "assignment")],
        [criterion((element.text or "").strip()) for element in config.iter("criterion")],
        _share(config.findtext("relativeMaxOutliers")),
        config.findtext("metric"),
        len(weights) > 1,
        _RECORDS in members,
    )


def records(project: Project) -> Iterator[bytes]:
    """The records of the project, as CSV, a block at a time."""
    return _blocks(project.path, _RECORDS, _RECORDS_MOST)


def hierarchy(project: Project, attribute: Attribute) -> Iterator[bytes]:
    """The hierarchy file of a column, as CSV, a block at a time."""
    return _blocks(project.path, attribute.hierarchy or "", _HIERARCHY_MOST)


def criterion(text: str) -> Criterion:
    """A privacy model as ARX writes it out, such as ``distinct-4-diversity for attribute 'job'``."""
    for kind, pattern in _CRITERIA.items():
        if found := pattern.fullmatch(text):
            if kind == "anonymity":
                return Criterion(text, kind, found.groups())
            *figures, on = found.groups()
            return Criterion(text, kind, tuple(figures), on)
    return Criterion(text, "unknown")


# -- the archive ------------------------------------------------------------------------------------------------


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, its errors as errors that name the file."""
    if not path.is_file():
        raise DataError(f"there is no file {path.name} where the project should be")
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > _MEMBERS_MOST:
                raise DataError(f"{path.name} has more parts than an ARX project can have")
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"{path.name} is not an ARX project, or is damaged or encrypted", details={"error": str(error)}
        ) from None


def _blocks(path: Path, member: str, most: int) -> Iterator[bytes]:
    with _archive(path) as archive, _opened(archive, member, most) as file:
        while block := file.read(_BLOCK):
            yield block


def _opened(archive: zipfile.ZipFile, member: str, most: int) -> IO[bytes]:
    """A member, unless it says that it is larger than anything of its kind; more than it says is never read."""
    try:
        told = archive.getinfo(member)
    except KeyError:
        raise DataError(f"the project has no {member}") from None
    bomb = told.file_size > _SMALL and told.compress_size < told.file_size * _PACKED_LEAST
    if told.file_size > most or bomb:
        raise DataError(f"the project's {member} would be unpacked to {told.file_size:,} bytes, which it should not be")
    return archive.open(told)


def _xml(archive: zipfile.ZipFile, member: str) -> ElementTree.Element:
    with _opened(archive, member, _XML_MOST) as file:
        content = file.read()
    text = _text(content)
    if "\0" in text or re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise DataError(f"the project's {member} declares a document type or entities, which no ARX project does")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        raise DataError(f"the project's {member} is not XML") from None


def _text(content: bytes) -> str:
    """ARX writes in the encoding of the machine that it runs on."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


# -- what it says -----------------------------------------------------------------------------------------------


def _attribute(element: ElementTree.Element, members: set[str]) -> Attribute:
    name = element.findtext("name") or ""
    # A sensitive column has no reference, and yet a file, when t-closeness was asked by its hierarchy.
    places = [element.findtext("ref"), f"hierarchies/{name}.csv"]
    held = [_FOLDER + place for place in places if place and _FOLDER + place in members]
    limits = [element.findtext(end) for end in ("min", "max")]
    return Attribute(
        name,
        (element.findtext("type") or "").strip(),
        (element.findtext("datatype") or "").strip(),
        element.findtext("format"),
        held[0] if held else None,
        bool(places[0]) and not held,
        any(limit not in (None, "All") for limit in limits),
        element.find("microAggregationFunction") is not None,
    )


def _share(text: str | None) -> float | None:
    try:
        share = float(text or "")
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None
