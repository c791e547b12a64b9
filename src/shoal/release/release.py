"""A release: tables that were judged, what they mean, and the way to disk and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from shoal.errors import DataError, Unsupported, Violation
from shoal.plan.plan import Plan
from shoal.privacy.verdict import Verdict
from shoal.release import files, place, readme
from shoal.release.files import FORMATS, Format
from shoal.release.manifest import Manifest

Judge = Callable[[Mapping[str, pa.Table]], Verdict]


def _nobody(tables: Mapping[str, pa.Table]) -> Verdict:
    """The judge of a release whose original is not at hand."""
    raise Unsupported("the original of this release is not at hand: judge it with shoal.verify")


class Release:
    """Tables about people that keep a promise; made by :func:`shoal.anonymize`, or read back from a folder.

    ``tables`` maps names to tables of the kind that came in; ``table`` is the only one, where there is one.
    ``verdict`` says what the judges found. The original is remembered for as long as the release must be judged
    again, and never pickled.
    """

    def __init__(
        self,
        tables: Mapping[str, pa.Table],
        manifest: Manifest,
        *,
        verdict: Verdict | None = None,
        judge: Judge | None = None,
        give_back: Callable[[pa.Table], Any] | None = None,
        plan: Plan | None = None,
        seeded: bool = False,
    ) -> None:
        self.arrow = dict(tables)
        self.manifest = manifest
        self.verdict = verdict
        self.judge: Judge = judge or _nobody
        self._give_back = give_back
        self.plan = plan
        self._seeded = seeded
        self._converted: dict[str, Any] = {}

    def __repr__(self) -> str:
        state = "not judged" if self.verdict is None else "holds" if self.verdict.holds else "DOES NOT HOLD"
        return f"<Release: {self.manifest.form}, {self.manifest.records} records, {state}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "judge": _nobody, "_give_back": None, "plan": None}

    @property
    def tables(self) -> dict[str, Any]:
        """The published tables, each of the kind that came in."""
        for name, table in self.arrow.items():
            if name not in self._converted:
                plain = files.plain(table)
                self._converted[name] = plain if self._give_back is None else self._give_back(plain)
        return dict(self._converted)

    @property
    def table(self) -> Any:
        """The published table, of the kind that came in."""
        if len(self.arrow) != 1:
            raise Unsupported(f"the form {self.manifest.form} publishes {', '.join(self.arrow)}: see .tables")
        return next(iter(self.tables.values()))

    def write(self, folder: str | os.PathLike[str], *, format: Format = "parquet", force: bool = False) -> Path:
        """Write the release, judging the very bytes before they are put in place; returns the folder.

        A release that fails is not written (:class:`Violation`); one that stands there already is replaced only with
        ``force``, in one step.
        """
        if self._seeded:
            raise Unsupported(
                "a release made with a seed can be made again by others, so it is not written: leave seed out"
            )
        if self.judge is _nobody:
            raise Unsupported("only a release fresh from anonymize can be judged and written: copy the folder instead")
        if format not in FORMATS:
            raise Unsupported(f"expected a format, one of {', '.join(FORMATS)}")
        target = Path(folder).resolve()  # where a link points to, or the link would be replaced
        place.check_free(target, force=force)
        with place.staging(target) as stage:
            paths = {name: files.write(table, stage, name, format) for name, table in self.arrow.items()}
            self.verdict = self.judge({name: files.read(path, self.manifest.columns) for name, path in paths.items()})
            refuse(self.verdict)
            self.manifest = with_reached(self.manifest, self.verdict)
            named = msgspec.structs.replace(self.manifest, tables=[path.name for path in paths.values()])
            (stage / place.MANIFEST).write_bytes(named.encode())
            (stage / place.README).write_text(readme.text(named), encoding="utf-8")
            place.put(stage, target, force=force)
        return Path(folder)

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Release:
        """A release from its folder; nothing is taken for granted but that it was written by Shoal."""
        root = Path(folder)
        path = root / place.MANIFEST
        if not path.is_file():
            raise DataError(f"the folder {root.name} holds no release: there is no {place.MANIFEST} in it")
        try:
            manifest = Manifest.decode(path.read_bytes())
        except (msgspec.DecodeError, OSError):
            raise DataError(f"the {place.MANIFEST} of {root.name} is damaged, or of another version") from None
        tables = {}
        for name in manifest.tables:
            if Path(name).name != name:
                raise DataError(f"the {place.MANIFEST} of {root.name} points outside its folder")
            tables[files.table_name(name)] = files.read(root / name, manifest.columns)
        return cls(tables, manifest)


def refuse(verdict: Verdict) -> None:
    """A release that does not hold is a bug in Shoal, and goes nowhere."""
    if verdict.holds:
        return
    failed = [
        f"{finding.judge}: {finding.what} {finding.says}".strip() for finding in verdict.findings if not finding.holds
    ]
    raise Violation(
        "the release does not keep its promises, so it is not published; this is a bug in Shoal, please report it: "
        + "; ".join(failed)
    )


def with_reached(manifest: Manifest, verdict: Verdict) -> Manifest:
    """The manifest with what the weakest class reaches of each promise, as the outsider found it."""
    reached = {str(finding.requirement): finding.reached for finding in verdict.findings if finding.judge == "outsider"}
    promises = [
        msgspec.structs.replace(p, reached=reached.get(str(p.requirement()), p.reached)) for p in manifest.require
    ]
    return msgspec.structs.replace(manifest, require=promises)
