"""Each mistake of a plan is named once, by its key, and nothing that only follows from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import PlanError

SOUND = """
[columns]
name = "identifying"
age = { role = "quasi-identifying", top = 90, step = 1 }
zip = "quasi-identifying"
job = "sensitive"
pay = "sensitive"
year = "insensitive"

[require]
k = 5
"""


def keys(document: str, folder: Path) -> list[str]:
    """The keys of all the mistakes in a plan."""
    path = folder / "plan.toml"
    path.write_text(document, encoding="utf-8")
    try:
        shoal.Plan.read(path)
    except PlanError as error:
        return [problem.key for problem in error.problems]
    return []


def columns(text: str) -> str:
    return SOUND.replace('zip = "quasi-identifying"', text)


def require(text: str) -> str:
    return SOUND.replace("k = 5", text)


def above(text: str) -> str:
    return text + SOUND


def below(text: str) -> str:
    return SOUND + text


MISTAKES: list[tuple[Callable[[str], str], str, list[str]]] = [
    # sections and keys
    (above, "tabel = 'x.csv'", ["tabel"]),
    (above, "table = 5", ["table"]),
    (above, "[x]", ["x"]),
    (below, "[read]\ndelimeter = ','", ["read.delimeter"]),
    (below, "[metod]\nname = 'mondrian'", ["metod"]),
    # columns
    (columns, "zip = 5", ["columns.zip"]),
    (columns, "zip = 'quasi-identifing'", ["columns.zip"]),
    (columns, "zip = { hierarchy = 'h.csv' }", ["columns.zip"]),
    (columns, "zip = { role = ['sensitive'] }", ["columns.zip"]),
    (columns, "capital.gain = 'sensitive'", ["columns.capital"]),
    (columns, "zip = { role = 'quasi-identifying', tpo = 3 }", ["columns.zip.tpo"]),
    (columns, "zip = { role = 'quasi-identifying', top = '3' }", ["columns.zip.top"]),
    (columns, "zip = { role = 'quasi-identifying', top = true, step = 'x' }", ["columns.zip.top", "columns.zip.step"]),
    (columns, "zip = { role = 'quasi-identifying', top = nan }", ["columns.zip.top"]),
    (columns, "zip = { role = 'quasi-identifying', top = 3, bottom = 3 }", ["columns.zip.bottom"]),
    (columns, "zip = { role = 'quasi-identifying', step = 0 }", ["columns.zip.step"]),
    (columns, "zip = { role = 'quasi-identifying', hierarchy = 'none.csv' }", ["columns.zip.hierarchy"]),
    (columns, "zip = { role = 'quasi-identifying', hierarchy = 5 }", ["columns.zip.hierarchy"]),
    (columns, "zip = { role = 'quasi-identifying', hierarchy = { A = [true] } }", ["columns.zip.hierarchy"]),
    (columns, "zip = { role = 'quasi-identifying', hierarchy = { A = ['x'], B = ['x'] } }", ["columns.zip.hierarchy"]),
    (columns, "zip = { role = 'quasi-identifying', hierarchy = { A = ['x'] }, top = 3 }", ["columns.zip.top"]),
    (columns, "zip = { role = 'quasi-identifying', mask = 'm' }", ["columns.zip.mask"]),
    (columns, "zip = { role = 'insensitive', top = 3 }", ["columns.zip.top"]),
    (columns, "zip = { role = 'identifying', hierarchy = { A = ['x'] } }", ["columns.zip.hierarchy"]),
    (columns, "zip = { role = 'sensitive', top = 3 }", ["columns.zip.top"]),
    (columns, "zip = { role = 'semi-sensitive', mask = 'zip_private' }", ["columns.zip"]),
    (
        columns,
        "zip = { role = 'sensitive', cover = 0.2, disclose_rule = true }",
        ["columns.zip.cover", "columns.zip.disclose_rule"],
    ),
    (columns, "age_min = 'insensitive'", ["columns.age_min"]),
    (columns, "age_missing = 'sensitive'", ["columns.age_missing"]),
    (columns, "age_max = 'identifying'", []),
    (columns, "'' = 'identifying'", ["identifying"]),
    # requirements
    (require, "", ["require"]),
    (require, "k = '5'", ["require.k"]),
    (require, "k = true", ["require.k"]),
    (require, "k = 1", ["require.k"]),
    (require, "k = 5.0", ["require.k"]),
    (require, "size = 0", ["require.size"]),
    (require, "kk = 5", ["require.kk"]),
    (require, "l = 1", ["require.l"]),
    (require, "l = 0.5", ["require.l"]),
    (require, "l = inf", ["require.l"]),
    (require, "l = '3'", ["require.l"]),
    (require, "l = {}", ["require.l"]),
    (require, "l = { year = 3 }", ["require.l.year"]),
    (require, "l = { jbo = 3 }", ["require.l.jbo"]),
    (require, "l = { job = true }", ["require.l.job"]),
    (require, "l = { job = { kind = 'entropy' } }", ["require.l.job.min"]),
    (require, "l = { job = { mni = 4 } }", ["require.l.job.mni"]),
    (require, "l = { job = { min = 4, kind = 'entrpy' } }", ["require.l.job.kind"]),
    (require, "l = { job = { min = 2.5, kind = 'distinct' } }", ["require.l.job"]),
    (require, "l = { job = { min = 2.5, kind = 'entropy' } }", []),
    (require, "l = { job = { min = 4, kind = 'recursive' } }", ["require.l.job.c"]),
    (require, "l = { job = { min = 4, c = 2 } }", ["require.l.job.c"]),
    (require, "l = { job = { min = 4, kind = 'recursive', c = 2 } }", []),
    (require, "l = { job = { min = 4, missing_is_sensitive = 'no' } }", ["require.l.job.missing_is_sensitive"]),
    (require, "t = 0", ["require.t"]),
    (require, "t = 2", ["require.t"]),
    (require, "t = 'x'", ["require.t"]),
    (require, "t = { job = 0, pay = 2 }", ["require.t.job", "require.t.pay"]),
    (require, "t = { age = 0.2 }", ["require.t.age"]),
    (require, "t = { job = { max = 0.2, distance = 'hierarchic' } }", ["require.t.job.distance"]),
    (require, "t = { job = { max = 0.2, distance = 'hierarchical' } }", ["columns.job.hierarchy"]),
    (require, "t = { job = { distance = 'equal' } }", ["require.t.job.max"]),
    (require, "k = 5\nsuppress = 50", ["require.suppress"]),
    (require, "k = 5\nsuppress = '5 %'", ["require.suppress"]),
    (require, "k = 5\nsuppress = -0.1", ["require.suppress"]),
    # reading
    (below, "[read]\nmissing = '?'", ["read.missing"]),
    (below, "[read]\nmissing = [1]", ["read.missing"]),
    (below, "[read]\ndelimiter = ';;'", ["read.delimiter"]),
    (below, "[read]\ndelimiter = ''", ["read.delimiter"]),
    (below, "[read]\ndelimiter = 'a'", ["read.delimiter"]),
    (below, "[read]\nencoding = 'latin'", []),
    (below, "[read]\nencoding = 'no such'", ["read.encoding"]),
    (below, "[read]\nencoding = 'rot13'", ["read.encoding"]),
    (below, "[read]\nencoding = 8", ["read.encoding"]),
    (below, "[read]\ndecimal = 'comma'", ["read.decimal"]),
    (below, "[read]\ndecimal = ','\ndelimiter = ','", ["read.decimal"]),
    (below, "[read]\ntypes = ['zip']", ["read.types"]),
    (below, "[read]\ntypes = { zip = 'txt', nope = 'text' }", ["read.types.zip", "read.types.nope"]),
    # people
    (above, "person = 5", ["person"]),
    (above, "person = 'nmae'", ["person"]),
    (above, "person = 'age'", ["person"]),
    (above, "person = 'name'", []),
    (above, "person = 'row'", []),
    (above, "allow_unique = 'year'", ["allow_unique"]),
    (above, "allow_unique = ['age', 'nope']", ["allow_unique", "allow_unique"]),
    (above, "allow_unique = ['year']", []),
    # method and form
    (below, "[method]\nname = 'mondrain'", ["method.name"]),
    (below, "[method]\nname = ['mondrian']", ["method.name"]),
    (below, "[method]\nties = 'lax'", ["method.ties"]),
    (below, "[method]\ntie = 'strict'", ["method.tie"]),
    (below, "[publish]\nform = 'generalised'", ["publish.form"]),
    (below, "[publish]\nranges = 'both'", ["publish.ranges"]),
    (below, "[publish]\nrange = 'text'", ["publish.range"]),
]


@pytest.mark.parametrize(("place", "text", "expected"), MISTAKES, ids=[text for _, text, _ in MISTAKES])
def test_one_mistake_is_said_once(place: Callable[[str], str], text: str, expected: list[str], tmp_path: Path) -> None:
    assert keys(place(text), tmp_path) == expected


@pytest.mark.parametrize("section", ["columns", "require", "method", "publish", "read"])
def test_a_section_that_is_no_table(section: str, tmp_path: Path) -> None:
    rest = "\n".join(part for part in SOUND.split("\n\n") if f"[{section}]" not in part)
    assert keys(f"{section} = 5\n{rest}", tmp_path) == [section]


def test_nothing_follows_from_a_role_that_is_not_known(tmp_path: Path) -> None:
    wrong = 'person = "name"\nallow_unique = ["year"]\n' + SOUND
    for role in ("identifying", "sensitive", "insensitive"):
        wrong = wrong.replace(f'"{role}"', '"confidential"')
    wrong += 'l = 3\nt = { job = 0.3 }\n[read]\ntypes = { job = "text" }'
    assert keys(wrong, tmp_path) == ["columns.name", "columns.job", "columns.pay", "columns.year"]


def test_a_wrong_role_hides_no_mistake_about_columns_that_the_plan_does_not_have(tmp_path: Path) -> None:
    wrong = 'person = 5\nallow_unique = ["yaer"]\n' + SOUND.replace('name = "identifying"', 'name = "identifing"')
    wrong += "l = { jbo = 3 }\n[read]\ntypes = { nope = 'text' }"
    expected = ["columns.name", "person", "require.l.jbo", "allow_unique", "read.types.nope"]
    assert keys(wrong, tmp_path) == expected


def test_all_mistakes_in_one_go(tmp_path: Path) -> None:
    wrong = """
        person = "age"
        [columns]
        age = { role = "quasi-identifying", top = "old" }
        zip = "quasi"
        job = { role = "sensitive", hierarchy = "nowhere/job.csv" }
        [require]
        k = 1
        l = { zap = 3 }
        suppress = 20
        [method]
        name = "mondriaan"
    """
    found = keys(wrong, tmp_path)
    assert sorted(found) == sorted(
        [
            "columns.zip",
            "method.name",
            "columns.age.top",
            "columns.job.hierarchy",
            "person",
            "require.k",
            "require.l.zap",
            "require.suppress",
        ]
    )
    with pytest.raises(PlanError, match=r"8 mistakes") as caught:
        shoal.Plan.read(tmp_path / "plan.toml")
    assert "did you mean mondrian?" in caught.value.message
    assert "nowhere" not in caught.value.message


def test_l_and_t_without_a_sensitive_column(tmp_path: Path) -> None:
    plan = '[columns]\nage = "quasi-identifying"\n[require]\n'
    assert keys(plan + "l = 3\nt = 0.2", tmp_path) == ["require.t", "require.l"]
    assert keys(plan + "l = { age = 3 }\nt = { age = 0.2 }", tmp_path) == ["require.l.age", "require.t.age"]


def test_no_columns_and_no_requirement(tmp_path: Path) -> None:
    assert keys("", tmp_path) == ["columns", "require"]


def test_semi_sensitive_names_the_method_that_takes_it(tmp_path: Path) -> None:
    document = columns('zip = { role = "semi-sensitive", mask = "m" }') + "l = { zip = 3 }"
    assert keys(document, tmp_path) == ["columns.zip"]
    with pytest.raises(PlanError, match="local-buckets"):
        shoal.Plan.read(tmp_path / "plan.toml")


PERSONAL = """
[columns]
name = "identifying"
age = { role = "semi-sensitive", mask = "age_private", top = 90 }
zip = "quasi-identifying"
job = "sensitive"
[require]
k = 5
l = 3
[method]
name = "local-buckets"
"""

MASKS: list[tuple[str, str, list[str]]] = [
    ("'age_private'", "'`age?` and not zip in [1, 2]'", []),
    (", mask = 'age_private'", "", ["columns.age.mask"]),
    ("'age_private'", "''", ["columns.age.mask"]),
    ("'age_private'", "5", ["columns.age.mask"]),
    ("'age_private'", "[]", ["columns.age.mask"]),
    ("'age_private'", "'age private'", ["columns.age.mask"]),
    ("'age_private'", "'zip < 5000'", []),
    ("'age_private'", "'age < 18'", ["columns.age.mask"]),
    ("'age_private'", "'age < 18', disclose_rule = true", []),
    ("'age_private'", "[1, 2]", ["columns.age.mask"]),
    ("'age_private'", "[1, 2], disclose_rule = true", []),
    ("'age_private'", "'zip < 5000 and job == \"cook\"'", ["columns.age.mask"]),
    ("'age_private'", "'zip < 5000', disclose_rule = 1", ["columns.age.disclose_rule"]),
    ("'age_private'", "'age_private', cover = 1.5", ["columns.age.cover"]),
    ("'age_private'", "'age_private', cover = true", ["columns.age.cover"]),
    ("zip =", "age_private = 'insensitive'\nzip =", ["columns.age_private"]),
    ("zip =", "age_private = 'identifying'\nzip =", []),
    ("zip =", "age_bucket = 'insensitive'\nzip =", ["columns.age_bucket"]),
    ("zip =", "job_bucket = 'insensitive'\nzip =", ["columns.job_bucket"]),
    ("zip =", "age_max = 'insensitive'\nzip =", ["columns.age_max"]),
    ("zip =", "zip_missing = 'insensitive'\nzip =", ["columns.zip_missing"]),
    ("zip =", "class = 'insensitive'\nzip =", ["columns.class"]),
    ("l = 3", "", ["require"]),
    ("l = 3", "l = { job = 3 }", ["require"]),
    ("l = 3", "t = 0.3", []),
    ("l = 3", "l = { job = 3 }\nt = { age = 0.3 }", []),
    ("l = 3", "l = { job = 3, age = { min = 3, kind = 'distinct' } }", ["require.l.age.kind"]),
    ("k = 5", "k = 5\nsize = 5", ["publish.form", "method.name"]),
    ("[method]", "[publish]\nform = 'generalized'\n[method]", ["publish.form"]),
    ("name = 'local-buckets'", "name = 'local-buckets'\npartition = 'mdb'", ["method.partition"]),
    ("name = 'local-buckets'", "name = 'mondrian'", ["columns.age"]),
]


@pytest.mark.parametrize(("old", "new", "expected"), MASKS, ids=[new for _, new, _ in MASKS])
def test_masks(old: str, new: str, expected: list[str], tmp_path: Path) -> None:
    document = PERSONAL.replace('"', "'")
    assert old in document
    assert keys(document.replace(old, new), tmp_path) == expected


def test_the_type_of_a_mask_can_be_said(tmp_path: Path) -> None:
    assert keys(PERSONAL + "[read]\ntypes = { age_private = 'boolean' }", tmp_path) == []
    assert keys(PERSONAL + "[read]\ntypes = { age_privat = 'boolean' }", tmp_path) == ["read.types.age_privat"]


def test_names_of_bounds_are_free_where_there_are_none(tmp_path: Path) -> None:
    hidden = 'age = { role = "quasi-identifying", top = 90, step = 1 }'
    text = SOUND.replace(hidden, 'age = "quasi-identifying"\nage_min = "insensitive"')
    assert keys(text, tmp_path) == ["columns.age_min"]
    assert keys(text + '[read]\ntypes = { age = "text" }', tmp_path) == []
    assert keys(text + '[publish]\nranges = "text"', tmp_path) == []
    tree = SOUND.replace(
        hidden, 'age = { role = "quasi-identifying", hierarchy = { A = ["1"] } }\nage_min = "insensitive"'
    )
    assert keys(tree, tmp_path) == []


# -- the same in Python -----------------------------------------------------------------------------------------

SCHEMA: dict[str, Any] = {
    "identifying": ["name"],
    "quasi_identifying": {"age": shoal.numeric(top=90), "zip": None},
    "sensitive": ["job"],
    "insensitive": ["year"],
}


K = shoal.KAnonymity(5)


def said(schema: Any = None, require: Any = (K,), **others: Any) -> list[str]:
    """The keys of the mistakes of a plan made in Python."""
    try:
        shoal.Plan(shoal.Schema(**SCHEMA) if schema is None else schema, require, **others)
    except PlanError as error:
        return [problem.key for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"identifying": "name"}, ["identifying"]),
        ({"identifying": None}, ["identifying"]),
        ({"identifying": [5]}, ["identifying"]),
        ({"identifying": {"name": None}}, []),
        ({"identifying": {"name": "h.csv"}}, ["identifying"]),
        ({"identifying": ["name", "name"]}, ["columns.name"]),
        ({"sensitive": ["job", "age"]}, ["columns.age"]),
        ({"sensitive": {"job": 5}}, ["columns.job.hierarchy"]),
        ({"sensitive": {"job": {"A": [object()]}}}, ["columns.job.hierarchy"]),
        ({"sensitive": {"job": "nowhere.csv"}}, ["columns.job.hierarchy"]),
        ({"sensitive": {"job": shoal.numeric(top=5)}}, ["columns.job.top"]),
        ({"sensitive": {"job": shoal.numeric()}}, []),
        ({"quasi_identifying": {"age": shoal.numeric(top="90")}}, ["columns.age.top"]),  # type: ignore[arg-type]
        ({"quasi_identifying": {"age": shoal.numeric(bottom=9, top=3)}}, ["columns.age.bottom"]),
        ({"semi_sensitive": {"sex": "mask"}}, ["columns.sex"]),
        ({"semi_sensitive": ["sex"]}, ["columns.sex.mask", "columns.sex"]),
        ({"semi_sensitive": {"sex": 5}}, ["columns.sex.mask", "columns.sex"]),
    ],
)
def test_schemas(change: dict[str, Any], expected: list[str]) -> None:
    assert said(shoal.Schema(**{**SCHEMA, **change})) == expected


@pytest.mark.parametrize(
    ("require", "expected"),
    [
        ([], ["require"]),
        (None, ["require"]),
        (shoal.KAnonymity(5), ["require"]),
        ([5], ["require"]),
        ([shoal.KAnonymity("5")], ["require.k"]),  # type: ignore[arg-type]
        ([shoal.KAnonymity(None)], ["require.k"]),  # type: ignore[arg-type]
        ([shoal.Size(2.0)], ["require.size"]),  # type: ignore[arg-type]
        ([shoal.LDiversity("3")], ["require.l"]),  # type: ignore[arg-type]
        ([shoal.LDiversity(3, on=["job"])], ["require.l.['job']"]),  # type: ignore[arg-type]
        ([shoal.LDiversity(3, kind=["entropy"])], ["require.l.kind"]),  # type: ignore[arg-type]
        ([shoal.LDiversity(3, "job", "recursive", "2")], ["require.l.job.c"]),  # type: ignore[arg-type]
        ([shoal.TCloseness(0.2, None)], ["require.t"]),  # type: ignore[arg-type]
        ([shoal.TCloseness("0.2", "job")], ["require.t.job"]),  # type: ignore[arg-type]
        ([shoal.TCloseness(0.2, "job", "hierarchical")], ["columns.job.hierarchy"]),
    ],
)
def test_requirements(require: Any, expected: list[str]) -> None:
    assert said(require=require) == expected


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"schema": {"age": "sensitive"}}, ["columns"]),
        ({"schema": 5}, ["columns"]),
        ({"method": "mondrian"}, ["method"]),
        ({"method": None}, ["method"]),
        ({"method": shoal.Mondrian("lax")}, ["method.ties"]),
        ({"form": "generalized"}, ["publish"]),
        ({"form": shoal.Generalized(ranges=[])}, ["publish.ranges"]),
        ({"suppress": "5"}, ["require.suppress"]),
        ({"suppress": True}, ["require.suppress"]),
        ({"person": 5}, ["person"]),
        ({"person": ["name"]}, ["person"]),
        ({"allow_unique": "year"}, ["allow_unique"]),
        ({"allow_unique": None}, ["allow_unique"]),
        ({"table": 5}, ["table"]),
        ({"table": "adult.csv"}, []),
        ({"read_options": {"delimiter": ","}}, ["read"]),
        ({"read_options": shoal.Read(types={"zip": ["text"]})}, ["read.types.zip"]),  # type: ignore[dict-item]
        ({"read_options": shoal.Read(missing="?")}, ["read.missing"]),
    ],
)
def test_other_arguments(others: dict[str, Any], expected: list[str]) -> None:
    assert said(**others) == expected
