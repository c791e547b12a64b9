"""ARX projects: what they say is understood, and what no honest project has is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import DataError
from shoal.schema import deid
from tests.schema import projects
from tests.schema.projects import column, config, hierarchy


def test_a_project_is_understood(tmp_path: Path) -> None:
    project = deid.read(projects.write(tmp_path / "a.deid"))
    assert [(a.name, a.type.split("_")[0], a.datatype, a.hierarchy) for a in project.attributes] == [
        ("name", "IDENTIFYING", "String", None),
        ("age", "QUASI", "Integer", None),
        ("zip", "QUASI", "String", "input/hierarchies/zip.csv"),
        ("disease", "SENSITIVE", "String", "input/hierarchies/disease.csv"),
    ]
    assert project.delimiter == ";"
    assert project.suppress == 0.05
    assert [criterion.kind for criterion in project.criteria] == ["anonymity", "distinct"]
    assert b"".join(deid.records(project)).decode() == projects.RECORDS
    assert b"".join(deid.hierarchy(project, project.attributes[2])).decode() == projects.ZIP


@pytest.mark.parametrize(
    ("text", "kind", "figures", "on"),
    [
        ("5-anonymity", "anonymity", ("5",), None),
        ("distinct-4-diversity for attribute 'job'", "distinct", ("4",), "job"),
        ("entropy-4-diversity for attribute 'job'", "entropy", ("4",), "job"),
        ("shannon-entropy-4.5-diversity for attribute 'job'", "entropy", ("4.5",), "job"),
        ("recursive-(3.0,4)-diversity for attribute 'job's'", "recursive", ("3.0", "4"), "job's"),
        ("0.2-closeness with equal distance for attribute 'job'", "closeness", ("0.2", "equal"), "job"),
        ("0.2-closeness with ordered distance for attribute 'job'", "closeness", ("0.2", "ordered"), "job"),
        ("1.0E-4-closeness with hierarchical distance for attribute 'a'", "closeness", ("1.0E-4", "hierarchical"), "a"),
        ("0.2-closeness", "closeness", ("0.2", None), None),
        ("grassberger-entropy-4-diversity for attribute 'job'", "unknown", (), None),
        ("5-anonymity and more", "unknown", (), None),
        ("(0.1,0.2)-presence", "unknown", (), None),
        ("", "unknown", (), None),
    ],
)
def test_privacy_models(text: str, kind: str, figures: tuple[str, ...], on: str | None) -> None:
    assert deid.criterion(text) == deid.Criterion(text, kind, figures, on)


def test_the_element_may_be_spelt_right_too(tmp_path: Path) -> None:
    spelt = f"<definition>{projects.COLUMNS}</definition>".replace("assigment", "assignment")
    assert len(deid.read(projects.write(tmp_path / "a.deid", definition=spelt)).attributes) == 4


def test_other_encodings_and_delimiters(tmp_path: Path) -> None:
    definition = f"<definition>{column('Größe', 'INSENSITIVE_ATTRIBUTE')}</definition>"
    path = projects.write(
        tmp_path / "a.deid", definition=definition.encode("cp1252"), project="<p><separator>\t</separator></p>"
    )
    project = deid.read(path)
    assert project.attributes[0].name == "Größe"
    assert project.delimiter == "\t"


@pytest.mark.parametrize(
    "ref", ["../../secret.csv", "/etc/passwd", "hierarchies/../../secret.csv", "hierarchies/no.csv"]
)
def test_references_lead_nowhere_but_into_the_project(ref: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("secret")
    definition = f"<definition>{column('x', 'QUASI_IDENTIFYING_ATTRIBUTE', more=hierarchy(ref))}</definition>"
    assert deid.read(projects.write(tmp_path / "a.deid", definition=definition)).attributes[0].hierarchy is None


ENTITY = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><definition>&b;</definition>'


@pytest.mark.parametrize(
    "content",
    [
        ENTITY,
        ENTITY.lower().replace("<!doctype", "<!DocType"),
        '<!DOCTYPE d SYSTEM "file:///etc/passwd"><definition/>',
        ENTITY.encode("utf-16"),
        ENTITY.encode("utf-16-le"),
        b"\xef\xbb\xbf" + ENTITY.encode(),
        "<definition>",
        "no XML at all",
        "",
    ],
)
def test_xml_that_no_project_has_is_refused(content: Any, tmp_path: Path) -> None:
    for name in ("definition", "config", "project"):
        with pytest.raises(DataError, match=r"document type|not XML"):
            deid.read(projects.write(tmp_path / "a.deid", **{name: content}))


def test_what_would_fill_a_disk_is_not_unpacked(tmp_path: Path) -> None:
    zeros = bytes(20_000_000)
    with pytest.raises(DataError, match="would be unpacked to 20,000,000"):
        deid.read(projects.write(tmp_path / "a.deid", config=zeros))
    parts = projects.members() | {"data/input.csv": zeros, "input/hierarchies/zip.csv": zeros}
    project = deid.read(projects.write(tmp_path / "b.deid", parts))
    for blocks in (deid.records(project), deid.hierarchy(project, project.attributes[2])):
        with pytest.raises(DataError, match="would be unpacked"):
            next(blocks)


def test_sizes_are_bounded_however_badly_a_part_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = projects.write(tmp_path / "a.deid")
    monkeypatch.setattr(deid, "_XML_MOST", 50)
    with pytest.raises(DataError, match="would be unpacked"):
        deid.read(path)


def test_a_part_that_lies_about_its_size_is_not_read_on(tmp_path: Path) -> None:
    path = projects.write(tmp_path / "a.deid", projects.members() | {"data/input.csv": b"1;2\n" * 5_000})
    content = path.read_bytes()
    real, lie = (20_000).to_bytes(4, "little"), (8).to_bytes(4, "little")
    path.write_bytes(content.replace(real, lie))
    project = deid.read(path)
    with pytest.raises(DataError, match="damaged"):
        assert sum(map(len, deid.records(project))) <= 8


def test_what_is_no_project(tmp_path: Path) -> None:
    path = tmp_path / "a.deid"
    with pytest.raises(DataError, match="there is no file"):
        deid.read(path)
    path.write_bytes(b"PK")
    with pytest.raises(DataError, match="not an ARX project"):
        deid.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.txt", "")
    with pytest.raises(DataError, match=r"definition\.xml"):
        deid.read(path)


def test_a_share_that_is_none(tmp_path: Path) -> None:
    for share, expected in (("1.0", 1.0), ("2", None), ("x", None), ("NaN", None)):
        assert deid.read(projects.write(tmp_path / "a.deid", config=config(share=share))).suppress == expected
