"""`shoal anonymize`: a verified release in a folder, or nothing."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options

if TYPE_CHECKING:
    from shoal.release.release import Release


class Format(StrEnum):
    """How the tables of a release are written."""

    parquet = "parquet"
    csv = "csv"


def anonymize(
    plan: options.PlanFile,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the release.", show_default=False)],
    table: options.Table = None,
    format: Annotated[Format, typer.Option(help="How the tables are written.")] = Format.parquet,
    force: Annotated[bool, typer.Option("--force", help="Replace the release that stands there.")] = False,
    json: options.Json = False,
) -> int:
    """Publish a table by a plan, in a new folder.

    Two judges look at the very files before they are put in place: as an outsider would, and with the original. If
    they find anything that does not hold, nothing is written.
    """
    from shoal.cli import terminal

    release, folder = written(plan, table, out, format.value, force=force)
    if json:
        terminal.write_json(_as_dict(release, folder))
    else:
        _show(release, folder)
    return 0


def written(plan: Path, table: Path | None, out: Path, format: Any, *, force: bool) -> tuple[Release, Path]:
    """The release, judged and written, and its folder."""
    from shoal import _run
    from shoal.cli import terminal
    from shoal.plan.plan import Plan
    from shoal.release import place

    decided = Plan.read(plan)
    place.check_free(out.resolve(), force=force)  # told before the work, not after it
    with terminal.progress() as say:
        release = _run.prepare(table, decided, progress=say)
        if say is not None:
            say("judging", _run.STAGES.index("judging"), len(_run.STAGES))
        return release, release.write(out, format=format, force=force)


def _as_dict(release: Release, folder: Path) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "form": release.manifest.form,
        "method": release.manifest.method,
        "tables": list(release.arrow),
        "verdict": None if release.verdict is None else release.verdict.as_dict(),
    }


def _show(release: Release, folder: Path) -> None:
    from shoal.cli import terminal
    from shoal.cli.verify import show_verdict

    console = terminal.console()
    if release.verdict is not None:
        show_verdict(console, release.verdict)
    files = sorted(path.name for path in folder.iterdir())
    console.print(f"Written to {folder}: {', '.join(files)}", soft_wrap=True)
