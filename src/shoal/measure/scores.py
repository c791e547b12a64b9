"""All that is measured of a release, as one object."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.measure.closeness import Farthest
from shoal.measure.kept import Correspondences
from shoal.measure.loss import Losses
from shoal.measure.ranges import Ranges
from shoal.measure.risk import Risk, Smallest

if TYPE_CHECKING:
    from shoal.measure.query_error import QueryError
    from shoal.measure.rules import Rules


@dataclass(frozen=True)
class Scores:
    """What a release cost, and how small its classes are.

    Attributes:
        records: the records published.
        suppressed: the records left out.
        suppression: the share of the records that were left out.
        classes: groups of records with the same quasi-identifiers as published, or with the same number where
            classes are numbered.
        loss: NCP and GLM; see :mod:`shoal.measure.loss`.
        ranges: how wide ranges are; see :mod:`shoal.measure.ranges`.
        discernibility: C_DM, the sum of the squared sizes of the classes, and for each suppressed record the
            size of the table (Bayardo and Agrawal, "Data Privacy through Optimal k-Anonymization", ICDE
            2005).
        class_size: the average size of a class.
        c_avg: that size over k (LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity",
            ICDE 2006): 1 is the best there is. None without k.
        risk: of being found; see :mod:`shoal.measure.risk`.
        smallest: how much of the release stands in small classes.
        farthest: of each sensitive column, how far the farthest class is from the whole release; see
            :mod:`shoal.measure.closeness`.
        queries: how far the answers to random counts are from the truth, if they were asked; see
            :mod:`shoal.measure.query_error`.
        rules: how many of the original's association rules are found again, if they were asked for; see
            :mod:`shoal.measure.rules`.
        correspondence: what is kept of how columns go together with the sensitive ones; see :mod:`shoal.measure.kept`.
    """

    records: int
    suppressed: int
    suppression: float
    classes: int
    loss: Losses
    ranges: Ranges
    discernibility: int
    class_size: float
    c_avg: float | None
    risk: Risk
    smallest: Smallest
    farthest: Farthest
    queries: QueryError | None = None
    rules: Rules | None = None
    correspondence: Correspondences = field(default_factory=Correspondences)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return asdict(self)
