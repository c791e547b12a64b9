"""Real tables of persons as the papers on t-closeness use them: seven quasi-identifiers and a sensitive number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import shoal
from shoal.schema.columns import Categorical

_REGIONS = {
    "East": ["New England", "Mideast", "Southeast"],
    "Middle": ["Great Lakes", "Plains", "Southwest"],
    "West": ["Rocky Mountain", "Far West"],
    "Abroad": ["Abroad"],
}
_MARITAL = {"Together": ["married"], "Once together": ["separated", "divorced", "widowed"], "Never": ["never married"]}
_CITIZENS = {"Born": ["born here", "born in a territory", "born abroad"], "Not born": ["naturalized", "no citizen"]}

_SCHOOLING = (
    "Children", "Less than 1st grade", "1st 2nd 3rd or 4th grade", "5th or 6th grade", "7th and 8th grade", "9th grade",
    "10th grade", "11th grade", "12th grade no diploma", "High school graduate", "Some college but no degree",
    "Associates degree-occup /vocational", "Associates degree-academic program", "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)", "Prof school degree (MD DDS DVM LLB JD)", "Doctorate degree(PhD EdD)",
)  # fmt: skip
_WORK = {
    "None": ["Not in universe", "Never worked", "Without pay"],
    "Private": ["Private", "Self-employed-incorporated", "Self-employed-not incorporated"],
    "Government": ["Federal government", "State government", "Local government"],
}
_COUPLES = {
    "Together": ["Married-civilian spouse present", "Married-A F spouse present", "Married-spouse absent"],
    "Once together": ["Separated", "Divorced", "Widowed"],
    "Never": ["Never married"],
}


@dataclass(frozen=True, eq=False)
class Census:
    """A table, its quasi-identifiers in the order in which they are used, and its sensitive column."""

    name: str
    table: pa.Table
    quasi: Mapping[str, Categorical | None]
    sensitive: str

    def drawn(self, records: int, *, again: bool = False, seed: int = 2011) -> Census:
        """So many of the records by chance; with ``again`` a record may be drawn more than once."""
        chance = np.random.default_rng(seed)
        every = self.table.num_rows
        rows = chance.integers(0, every, records) if again else chance.permutation(every)[:records]
        return Census(self.name, self.table.take(pa.array(rows)), self.quasi, self.sensitive)

    def of(self, quasi: int) -> Census:
        """With the first so many quasi-identifiers only."""
        names = list(self.quasi)[:quasi]
        return Census(
            self.name, self.table.select([*names, self.sensitive]), {n: self.quasi[n] for n in names}, self.sensitive
        )


def acs(data: Path) -> Census:
    """Government employees of the American Community Survey 2018, their salaries in 50 groups of about equal size."""
    table = pq.read_table(data / "census_acs2018_gov" / "gov_census.parquet")
    words = pa.array([word for group in _CITIZENS.values() for word in group])
    citizens = words.take(pc.subtract(table.column("citizenship").combine_chunks(), 1))
    table = table.set_column(table.column_names.index("citizenship"), "citizenship", citizens)
    quasi: dict[str, Categorical | None] = {
        "age": None,
        "sex": _flat(table, "sex"),
        "education_level": None,
        "marital": _below(_MARITAL),
        "race": _flat(table, "race"),
        "citizenship": _below(_CITIZENS),
        "economic_region": _below(_REGIONS),
    }
    salary = _groups(table.column("salary").to_numpy(), 50)
    return Census("ACS", table.select(list(quasi)).append_column("salary", pa.array(salary)), quasi, "salary")


def kdd(data: Path) -> Census:
    """Persons of the Current Population Surveys of 1994 and 1995, and how many weeks they worked in the year."""
    table = pq.read_table(data / "census_kdd" / "census8_view.parquet")
    schooling = [_SCHOOLING.index(text) for text in table.column("education").to_pylist()]
    table = table.set_column(table.column_names.index("education"), "education", pa.array(schooling))
    quasi: dict[str, Categorical | None] = {
        "age": None,
        "sex": _flat(table, "sex"),
        "education": None,
        "marital_status": _below(_COUPLES),
        "race": _flat(table, "race"),
        "class_of_worker": _below(_WORK),
        "country_of_birth_self": _abroad(table),
    }
    return Census("KDD", table.select([*quasi, "weeks_worked_in_year"]), quasi, "weeks_worked_in_year")


def adult(data: Path) -> Census:
    """The complete records of Adult, and the hours that people work in a week."""
    frame = pd.read_csv(data / "adult" / "adult_train.csv.gz")
    frame = frame[(frame != "?").all(axis=1)]
    files = data / "adult" / "hierarchies"
    names = ("education", "marital-status", "race", "sex", "workclass", "native-country")
    quasi: dict[str, Categorical | None] = {"age": None}
    quasi |= {name: shoal.categorical(files / f"adult_hierarchy_{name}.csv") for name in names}
    table = pa.Table.from_pandas(frame[[*quasi, "hours-per-week"]], preserve_index=False)
    return Census("Adult", table, quasi, "hours-per-week")


def _groups(values: np.ndarray, groups: int) -> np.ndarray:
    """Ranks in so many groups of about equal size, equal values together: ties leave fewer than there are cuts."""
    for cuts in range(groups, len(values)):
        edges = np.unique(np.quantile(values, np.arange(1, cuts) / cuts))
        found = np.searchsorted(edges, values, side="right")
        if len(np.unique(found)) >= groups:
            return found
    raise ValueError("there are too few values")


def _below(groups: Mapping[str, Sequence[str]]) -> Categorical:
    return shoal.categorical(shoal.Hierarchy.from_nested({"*": groups}))


def _flat(table: pa.Table, name: str) -> Categorical:
    return shoal.categorical(shoal.Hierarchy.from_nested({"*": sorted(table.column(name).unique().to_pylist())}))


def _abroad(table: pa.Table) -> Categorical:
    """Countries, those but the home of most put together."""
    countries = sorted(table.column("country_of_birth_self").unique().to_pylist())
    home = {"United-States", "Puerto-Rico", "Outlying-U S (Guam USVI etc)"}
    return _below({"Home": sorted(home), "Abroad": [name for name in countries if name not in home]})
