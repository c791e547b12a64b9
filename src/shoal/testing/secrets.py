"""The test of planted secrets: marked values are put wherever a value can hide, and nothing that leaves has one.

What leaves is every byte of a written release, every message, every representation and every pickle.
"""

from __future__ import annotations

import contextlib
import io
import logging
import pickle
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import shoal
from shoal import partition, publish
from shoal.errors import ShoalError
from shoal.kernels.shuffle import permutation
from shoal.plan.forms import FORMS, Form, Generalized
from shoal.plan.methods import METHODS, Method
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from shoal.release.files import FORMATS
from shoal.release.release import Release
from shoal.schema import arx
from shoal.schema.columns import Schema, categorical
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.codes import encode
from shoal.testing.mishaps import mishaps
from shoal.testing.unpacked import everything

__all__ = ["MARK", "Scene", "Secrets", "check_no_secrets"]

#: Stands in every planted text, and nowhere else.
MARK = "xqz7vault"

_ROWS = 60
_FIRST_PHONE = 7_310_264_000
_FIRST_INCOME = 5_550_123_000


@dataclass(frozen=True)
class Secrets:
    """Texts and numbers that must not be seen."""

    texts: frozenset[str]
    numbers: frozenset[int] = frozenset()

    def but(self, texts: Iterable[str]) -> Secrets:
        """The same without these, which are published on purpose."""
        return replace(self, texts=self.texts - set(texts))

    def within(self, held: bytes | str) -> list[str]:
        """Those that stand in something, as text in any usual encoding or as the bytes of a number."""
        data = held.encode() if isinstance(held, str) else held
        encoded = ((text, text.encode(code)) for text in sorted(self.texts) for code in ("utf-8", "utf-16-le"))
        found = [text for text, wanted in encoded if wanted in data]
        for number in sorted(self.numbers):
            wanted = (str(number).encode(), number.to_bytes(8, "little"), np.float64(number).tobytes())
            found += [str(number)] if any(form in data for form in wanted) else []
        return found

    def refuse(self, where: str, held: bytes | str) -> None:
        """Fail if any of them is there."""
        found = self.within(held)
        assert not found, f"{where} holds {len(found)} secret(s), among them {found[:3]}"


@dataclass(frozen=True)
class Scene:
    """A table with secrets in every corner, the plan that must keep them, and the places where things are."""

    folder: Path
    table: pa.Table
    plan: Plan
    values: Secrets  # what no message, representation or release may hold
    names: Secrets  # names of files and folders, which no release may hold

    @classmethod
    def set_up(cls, folder: Path, method: Method | None = None, form: Form | None = None) -> Scene:
        """Everything in place below this folder."""
        vault = folder / f"{MARK}-folder"
        vault.mkdir()
        tree = vault / f"{MARK}-hierarchy.csv"
        arx.write(_tree(), tree)
        form = form or (Generalized() if method is None else FORMS[method.card.forms[0]]())
        method = method or next(kind() for kind in METHODS.values() if form.name in kind.card.forms)
        hidden = "k" in method.card.promises & form.promises
        texts = {*_texts("name"), *_texts("note"), *(f"{MARK}-unused-{name}" for name in _DICTIONARIES)}
        texts |= {f"{MARK}-spare", f"{MARK}-branch", f"{MARK}-meta", f"{MARK}-index", f"{MARK}-attribute"}
        numbers = {_FIRST_PHONE + row for row in range(_ROWS)}
        if hidden:  # other forms publish quasi-identifiers as they are
            texts |= {f"{MARK}-job-{row:03}" for row in range(_ROWS)}
        if hidden and form.name != "centres":  # a mean may be anybody's value
            numbers |= {_FIRST_INCOME + row for row in range(1, _ROWS - 1)}
        names = Secrets(frozenset({vault.name, tree.name, f"{MARK}-table", f"{MARK}-plan", _MASK}))
        personal = method.card.semi_sensitive
        schema = _schema(tree, personal=personal)
        plan = Plan(schema, _required(method, form), method, form, suppress=0.7, allow_unique=["note"])
        table = _table().append_column(_MASK, pa.array([row < _ROWS for row in range(_ROWS)])) if personal else _table()
        return cls(folder, table, plan, Secrets(frozenset(texts), frozenset(numbers)), names)

    @property
    def vault(self) -> Path:
        """The folder with a secret name, where files with secret names are."""
        return self.folder / f"{MARK}-folder"

    def given(self) -> Iterator[tuple[str, Any]]:
        """The table in every way in which people have it, with a secret in whatever goes with it."""
        described = self.table.replace_schema_metadata({f"{MARK}-meta": f"{MARK}-meta"})
        yield "Arrow", described
        path = self.vault / f"{MARK}-table.parquet"
        parquet.write_table(described, path)
        yield "Parquet", path
        text = self.vault / f"{MARK}-table.csv"
        csv.write_csv(_without_dictionaries(self.table), text)
        yield "CSV", text
        with contextlib.suppress(ImportError):
            yield "pandas", _as_pandas(self.table)


_MASK = f"{MARK}-mask"
_DICTIONARIES = ("name", "note", "job", "city", "illness")


def _texts(kind: str) -> list[str]:
    return [f"{MARK}-{kind}-{row:03}" for row in range(_ROWS)]


def _tree() -> Hierarchy:
    rows = [["clerk", "office", "any job"], [f"{MARK}-spare", f"{MARK}-branch", "any job"]]
    return Hierarchy.from_rows([*rows, *([job, "office", "any job"] for job in _texts("job"))])


def _schema(tree: Path, *, personal: bool) -> Schema:
    """One sensitive column: for everybody, or by a mask that everybody ticked."""
    return Schema(
        identifying=["name", "phone"],
        quasi_identifying={"income": None, "job": categorical(tree), "city": None},
        sensitive=[] if personal else ["illness"],
        semi_sensitive={"illness": _MASK} if personal else {},
        insensitive=["note"],
    )


def _required(method: Method, form: Form) -> list[Requirement]:
    """One class of all that remain, some being left out for the sake of l."""
    wanted: dict[str, Requirement] = {
        "k": KAnonymity(20 if "l" in method.card.promises else _ROWS // 2 + 1),  # without l nobody is left out
        "l": LDiversity(1.4 if form.name == "randomized" else 2, "illness"),  # two values leave no more to guess
        "t": TCloseness(1.0, "illness"),
    }
    return [wanted[promise] for promise in sorted(wanted) if promise in method.card.promises & form.promises]


def _table() -> pa.Table:
    """Half of the jobs are one and the same, and so are most illnesses: some records will be left out."""
    jobs = [job if row % 3 == 0 else "clerk" for row, job in enumerate(_texts("job"))]
    columns: dict[str, list[Any]] = {
        "name": _texts("name"),
        "phone": [_FIRST_PHONE + row for row in range(_ROWS)],
        # The extremes are published; they belong to those with a cold, of whom nobody is left out for the sake of l, so
        # that none of the others becomes one.
        "income": [_FIRST_INCOME + (row if row % 4 else row // 4 % 2 * (_ROWS - 1)) for row in range(_ROWS)],
        "job": jobs,
        "city": ["here", "there"] * (_ROWS // 2),
        "illness": ["flu" if row % 4 else "cold" for row in range(_ROWS)],
        "note": _texts("note"),
    }
    return pa.table({name: _column(name, values) for name, values in columns.items()})


def _column(name: str, values: list[Any]) -> pa.Array:
    if name not in _DICTIONARIES:
        return pa.array(values)
    held = [*dict.fromkeys(values), f"{MARK}-unused-{name}"]
    return pa.DictionaryArray.from_arrays(pa.array([held.index(value) for value in values]), pa.array(held))


def _without_dictionaries(table: pa.Table) -> pa.Table:
    return pa.table({name: table.column(name).to_pylist() for name in table.column_names})


def _as_pandas(table: pa.Table) -> Any:
    import pandas as pd

    frame = table.to_pandas()
    frame.index = pd.Index([f"{MARK}-index"] * len(frame), name=f"{MARK}-index")
    frame.attrs[f"{MARK}-attribute"] = f"{MARK}-attribute"
    return frame


# -- the test -----------------------------------------------------------------------------------------------


def check_no_secrets(folder: Path, *, method: Method | None = None, form: Form | None = None) -> None:
    """No secret leaves: not with a release, its objects or pickles, nor with what is said when something is wrong.

    ``folder`` is an empty one, to work in.
    """
    scene = Scene.set_up(folder, method, form)
    with watched(scene):
        for kind, table in scene.given():
            _check_release(scene, kind, table)
        for says, mishap in mishaps(scene.vault, MARK):
            check_mishap(scene.values, says, mishap)
        _check_stages(scene)


def _check_release(scene: Scene, kind: str, table: Any) -> None:
    """Whatever is handed out of one release, in all formats."""
    release = shoal.anonymize(table, scene.plan)
    if any(isinstance(requirement, LDiversity) for requirement in scene.plan.require):
        assert release.manifest.suppressed, "the scene is set so that some records are left out"
    published = next(iter(release.arrow.values()))
    secret = scene.values.but(published.column("note").to_pylist())
    _check_objects(secret, release, release.verdict, release.manifest, release.plan)
    for held in release.tables.values():
        _check_objects(secret, repr(held), _attached(held))
    secret.refuse("the pickle of a release", pickle.dumps(release))
    for form in FORMATS:
        target = scene.folder / f"release-{kind}-{form}"
        release.write(target, format=form)
        for where, held in everything(target):
            secret.refuse(where, held)
            scene.names.refuse(where, held)
        back = Release.read(target)
        _check_objects(secret, back, back.manifest, shoal.verify(back))
        secret.refuse("the pickle of a release that was read", pickle.dumps(back))


def _attached(table: Any) -> Any:
    """Whatever a table carries beside its cells, and every value that its columns remember."""
    if isinstance(table, pa.Table):
        return table.schema.metadata, [field.metadata for field in table.schema], table.to_pydict()
    categories = [column.cat.categories for _, column in table.items() if hasattr(column, "cat")]
    return table.attrs, table.index, categories


def _check_objects(secret: Secrets, *held: object) -> None:
    for thing in held:
        secret.refuse(f"the representation of a {type(thing).__name__}", repr(thing) + str(thing))


def _check_stages(scene: Scene) -> None:
    """The objects of every stage, which a debugger or a log may show."""
    plan = scene.plan
    trees = {column.name: arx.read(Path(str(column.hierarchy))) for column in plan.columns if column.hierarchy}
    table = _without_dictionaries(scene.table)
    chance = Chance.seeded(1)
    codes = encode(table, plan, trees, permutation(chance.words(table.num_rows)))
    classes = partition.group(codes, plan, chance)
    draft = publish.publish(codes, classes, plan, table, chance)
    _check_objects(scene.values, codes, *codes.domains, classes, draft, *trees.values(), plan.schema, *plan.columns)


def check_mishap(secret: Secrets, says: str, mishap: Callable[[], object]) -> None:
    """Something goes wrong with one of Shoal's own errors, which says nothing of the values."""
    try:
        mishap()
    except ShoalError as error:
        told = traceback.TracebackException.from_exception(error)
        secret.refuse(f"the message of {says}", str(error) + repr(error))
        secret.refuse(f"the traceback of {says}", _messages(told))
        secret.refuse(f"the pickle of {says}", pickle.dumps(error))
    else:
        raise AssertionError(f"{says} should have been an error")


def _messages(told: traceback.TracebackException | None) -> str:
    """All messages that a traceback shows; not its lines of code, in which a test names its own secrets."""
    if told is None:
        return ""
    before = told.__cause__ or (None if told.__suppress_context__ else told.__context__)
    return "".join(told.format_exception_only()) + _messages(before)


@contextlib.contextmanager
def watched(scene: Scene) -> Iterator[None]:
    """Nothing secret is printed, logged or warned of meanwhile, and no file is left behind."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    spare = scene.folder / "temporary"
    spare.mkdir()
    before, level = tempfile.tempdir, logging.getLogger().level
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.DEBUG)
    tempfile.tempdir = str(spare)
    try:
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            warnings.catch_warnings(record=True) as warned,
        ):
            warnings.simplefilter("always")
            yield
    finally:
        tempfile.tempdir = before
        logging.getLogger().removeHandler(handler)
        logging.getLogger().setLevel(level)
    scene.values.refuse("what was printed or logged", said.getvalue())
    scene.values.refuse("what was warned of", " ".join(str(warning.message) for warning in warned))
    assert not [*spare.iterdir()], "a temporary file was left behind"
    assert not [path for path in scene.folder.iterdir() if path.name.startswith(".")], (
        "a staging folder was left behind"
    )
