"""What is to be measured, written record by record: slow, obvious, without the package's reading of cells.

A record has an age, a job (with a hierarchy) and a colour (without), each perhaps missing. A published record
says of its age a range and whether it may be missing, of its job a label of the hierarchy (none for a missing
job), of its colour the set of those that it may have.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shoal.schema.hierarchy import Hierarchy

JOBS = Hierarchy.from_nested({"office": ["clerk", "boss"], "trade": {"wood": ["carpenter"], "food": ["baker", "cook"]}})
ROOT = "*"
COLOURS = ("amber", "blue", "cyan", "dun")


class Original(NamedTuple):
    age: int | None
    job: str | None
    colour: str | None


class Range(NamedTuple):
    low: int
    high: int
    missing: bool

    def covers(self, age: int | None, bottom: int | None, top: int | None) -> bool:
        if age is None:
            return self.missing
        low = -math.inf if bottom is not None and self.low <= bottom else self.low
        high = math.inf if top is not None and self.high >= top else self.high
        return low <= age <= high


class Published(NamedTuple):
    age: Range | None  # none: every age of the class is missing
    job: str | None
    colour: frozenset[str | None]


def below(label: str | None) -> set[str | None]:
    """The jobs that a label may stand for."""
    if label is None:
        return {None}
    leaves: set[str | None] = {row[0] for row in JOBS.rows() if label in row}
    return leaves | {None} if label == ROOT else leaves


def coded(age: int, bottom: int | None, top: int | None) -> int:
    if bottom is not None:
        age = max(age, bottom)
    return age if top is None else min(age, top)


#: By NCP, GLM and NCP_Xu.
Costs = tuple[float, float, float]


@dataclass
class Oracle:
    published: Sequence[Published]
    original: Sequence[Original]
    suppressed: int
    bottom: int | None
    top: int | None

    @property
    def every(self) -> int:
        return len(self.published) + self.suppressed

    def _mean(self, costs: Sequence[float]) -> float:
        return (math.fsum(costs) + self.suppressed) / self.every if self.every else 0.0

    def _means(self, costs: Sequence[Costs]) -> Costs:
        ncp, glm, xu = zip(*costs, strict=True) if costs else ((), (), ())
        return self._mean(ncp), self._mean(glm), self._mean(xu)

    def age(self) -> float:
        return self._mean([self.age_cost(record.age) for record in self.published])

    def age_cost(self, cell: Range | None) -> float:
        ages = {record.age for record in self.original}
        known = {coded(age, self.bottom, self.top) for age in ages if age is not None}
        if cell is None or not known:
            return 0.0
        if cell.missing and None in ages:
            return 1.0
        if min(known) == max(known):
            return 0.0
        low = max(coded(cell.low, self.bottom, self.top), min(known))
        high = min(coded(cell.high, self.bottom, self.top), max(known))
        return max(high - low, 0) / (max(known) - min(known))

    def job(self) -> Costs:
        return self._means([self.job_costs(record.job) for record in self.published])

    def job_costs(self, label: str | None) -> Costs:
        occurring = {record.job for record in self.original}
        if len(occurring) <= 1 or label is None:
            return 0.0, 0.0, 0.0
        leaves = below(label)
        if label == ROOT:
            return 1.0, 1.0, 1.0
        held = len(leaves & occurring)
        ncp = max(held - 1, 0) / (len(occurring) - 1)
        glm = len(leaves) / (len(below(ROOT)) - (None not in occurring))
        return ncp, 0.0 if len(leaves) == 1 else glm, 0.0 if held <= 1 else held / len(occurring)

    def colour(self) -> Costs:
        return self._means([self.colour_costs(record.colour) for record in self.published])

    def colour_costs(self, cell: frozenset[str | None]) -> Costs:
        occurring = {record.colour for record in self.original}
        held = len(cell & occurring)
        if len(occurring) <= 1 or held <= 1:
            return 0.0, 0.0, 0.0
        return (held - 1) / (len(occurring) - 1), held / len(occurring), held / len(occurring)

    def classes(self) -> Counter[Published]:
        return Counter(self.published)

    def sizes(self) -> list[int]:
        """For each record, the size of its class."""
        classes = self.classes()
        return [classes[record] for record in self.published]

    def discernibility(self) -> int:
        return sum(self.sizes()) + self.suppressed * self.every

    def crowds(self, population: Sequence[Original]) -> list[int]:
        """For each record, how many people it may be; no fewer than its class has records."""
        return [
            max(self.candidates(record, population), size)
            for record, size in zip(self.published, self.sizes(), strict=True)
        ]

    def short(self, population: Sequence[Original]) -> int:
        return sum(self.candidates(record, population) < size for record, size in self.classes().items())

    def candidates(self, record: Published, population: Sequence[Original]) -> int:
        return sum(
            (person.age is None if record.age is None else record.age.covers(person.age, self.bottom, self.top))
            and person.job in below(record.job)
            and person.colour in record.colour
            for person in population
        )
