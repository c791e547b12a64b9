"""What the two judges found of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.privacy.requirements import Requirement

Judge = Literal["outsider", "keeper"]


@dataclass(frozen=True)
class Finding:
    """One thing that must hold, and whether it does.

    ``reached`` is the weakest class's figure, ``below`` how many of the ``classes`` do not keep the requirement and
    ``records`` how many records these hold. Checks of the keeper that are not requirements have neither figure.
    """

    judge: Judge
    what: str
    holds: bool
    asked: float | None = None
    reached: float | None = None
    classes: int = 0
    below: int = 0
    records: int = 0
    says: str = ""
    requirement: Requirement | None = None

    def as_dict(self) -> dict[str, Any]:
        keys = ("judge", "what", "holds", "asked", "reached", "classes", "below", "records", "says")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True)
class Note:
    """Something true of the release that the requirements do not ask about, and a steward should know."""

    about: str
    says: str
    figures: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"about": self.about, "says": self.says, "figures": self.figures}


@dataclass(frozen=True)
class Verdict:
    """Whether a release keeps its promises, and by how much."""

    findings: Sequence[Finding]
    notes: Sequence[Note] = ()
    records: int = 0
    suppressed: int = 0
    classes: int = 0

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)

    def and_also(self, other: Verdict) -> Verdict:
        """Both judges' findings as one verdict."""
        return Verdict(
            (*self.findings, *other.findings),
            (*self.notes, *other.notes),
            max(self.records, other.records),
            max(self.suppressed, other.suppressed),
            max(self.classes, other.classes),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "records": self.records,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [note.as_dict() for note in self.notes],
        }
