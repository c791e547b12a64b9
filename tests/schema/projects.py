"""ARX projects for tests, written as ARX lays them out."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

RECORDS = "name;age;zip;disease\nAda;34;8000;flu\nBob;45;8001;cold\nCleo;66;8400;flu\nDan;NULL;3000;cold\n"
ZIP = "8000;800*;80**;*\n8001;800*;80**;*\n8400;840*;84**;*\n3000;300*;30**;*\n"
DISEASE = "flu;viral;*\ncold;viral;*\n"


def column(name: str, kind: str, datatype: str = "String", more: str = "") -> str:
    """One column as ARX writes it, its misspelt element included."""
    return (
        f"\t<assigment>\n\t\t<name>{escape(name)}</name>\n\t\t<type>{kind}</type>\n\t\t<datatype>{datatype}</datatype>\n"
        f"{more}\t</assigment>\n"
    )


def hierarchy(ref: str, least: str = "All", most: str = "All") -> str:
    return f"\t\t<ref>{escape(ref)}</ref>\n\t\t<min>{least}</min>\n\t\t<max>{most}</max>\n"


COLUMNS = (
    column("name", "IDENTIFYING_ATTRIBUTE")
    + column("age", "QUASI_IDENTIFYING_ATTRIBUTE", "Integer")
    + column("zip", "QUASI_IDENTIFYING_ATTRIBUTE", more=hierarchy("hierarchies/zip.csv"))
    + column("disease", "SENSITIVE_ATTRIBUTE")
)
MODELS = ("2-anonymity", "distinct-2-diversity for attribute 'disease'")


def config(models: tuple[str, ...] = MODELS, share: str = "0.05") -> str:
    told = "".join(f"\t\t<criterion>{escape(model)}</criterion>\n" for model in models)
    return (
        "<config>\n\t<suppressionAlwaysEnabled>true</suppressionAlwaysEnabled>\n"
        f"\t<relativeMaxOutliers>{share}</relativeMaxOutliers>\n\t<metric>Loss (0.5/1.0/1.0)</metric>\n"
        "\t<attributeWeights>\n\t\t<attributeWeight>\n\t\t\t<attribute>age</attribute>\n\t\t\t<weight>0.5</weight>\n"
        f"\t\t</attributeWeight>\n\t</attributeWeights>\n\t<criteria>\n{told}\t</criteria>\n</config>\n"
    )


def members() -> dict[str, str | bytes]:
    """The parts of a small project."""
    return {
        "metadata.xml": "<metadata>\n\t<version>3.9.1</version>\n\t<vocabulary>2.0</vocabulary>\n</metadata>\n",
        "project.dat": b"\xac\xed\x00\x05 serialised",
        "project.xml": "<project>\n\t<separator>;</separator>\n\t<quote>&quot;</quote>\n</project>\n",
        "data/input.csv": RECORDS,
        "input/config.dat": b"\xac\xed\x00\x05 serialised",
        "input/config.xml": config(),
        "input/definition.xml": f"<definition>\n{COLUMNS}</definition>\n",
        "input/hierarchies/zip.csv": ZIP,
        "input/hierarchies/disease.csv": DISEASE,
    }


def write(path: Path, parts: dict[str, str | bytes] | None = None, **changed: str | bytes) -> Path:
    """A project of these parts; ``definition``, ``config`` and ``project`` name the XML that is changed."""
    parts = dict(members() if parts is None else parts)
    places = {"definition": "input/definition.xml", "config": "input/config.xml", "project": "project.xml"}
    parts |= {places[name]: content for name, content in changed.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path
