"""SABRE: Figures 10 to 14 and 17 to 19 of Cao, Karras, Kalnis and Tan, on tables that can be had."""

from __future__ import annotations

from pathlib import Path

from benchmarks import census
from benchmarks.papers.figures import Results
from benchmarks.papers.sabre import advice, claims
from benchmarks.papers.sabre.experiments import Experiments
from benchmarks.papers.sabre.runs import warm

_SETTING = """\
The paper measured on 500,000 records of an extract of the US census that cannot be had. In its place stand 204,309
government employees of the American Community Survey 2018 (*ACS* below), with age, sex, education, marital status,
race, citizenship and region as quasi-identifiers, in this order, and their salary in 50 groups of about equal size, of
which ranks are compared. For findings that need more than one table there are persons of the Current Population
Surveys 1994 and 1995 (*KDD*; weeks worked in the year, 53 values) and the 30,162 complete records of *Adult* (hours
worked in a week, 94 values). As in the paper 100,000 records are drawn, k = 6 and t = 0.35 unless something else is
said; AIL is the mean loss by GLM. tMondrian and tIncognito are Shoal's `mondrian` and `incognito`. SABRE-AK and
SABRE-KNN are `sabre` as the paper has it, with `search` `"hilbert"` or `"nearest"` and `slack = "paper"`; *defaults* is
`sabre` with its defaults, `search = "nearest"` and `slack = "best"`. Times are those of grouping alone."""

_PAPER = """\
Cao, Karras, Kalnis and Tan, *SABRE: a Sensitive Attribute Bucketization and REdistribution framework for t-closeness*,
VLDB Journal 2011"""


def measured(data: Path, *, quick: bool) -> Results:
    """All figures, and what they say of the paper's claims."""
    warm()
    size = 3_000 if quick else 100_000
    others = [census.kdd(data).drawn(size), census.adult(data).drawn(size)]
    figures = Experiments(census.acs(data), others, size, quick).figures()
    named = {figure.name: figure for figure in figures}
    return Results(
        title="SABRE's figures",
        paper=_PAPER.replace("\n", " "),
        setting=_SETTING.replace("\n", " "),
        figures=figures,
        claims=claims.of(named),
        advice=advice.of(named),
    )
