"""Arguments and options that several commands take, so that they are named and explained alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.", show_default=False)]
Table = Annotated[
    Path | None,
    typer.Argument(
        metavar="[TABLE]",
        help="The table: CSV (also .gz), Parquet or Arrow. Left out: the one that the plan names.",
        show_default=False,
    ),
]
Published = Annotated[
    Path,
    typer.Argument(
        metavar="PUBLISHED",
        help="A folder that Shoal wrote, or any published table.",
        show_default=False,
    ),
]
Original = Annotated[
    Path | None,
    typer.Option("--original", metavar="TABLE", help="The table it was made from.", show_default=False),
]
PlanOption = Annotated[
    Path | None,
    typer.Option(
        "--plan",
        metavar="PLAN",
        help="What its columns mean and what must hold; needed where Shoal did not make it.",
        show_default=False,
    ),
]
Also = Annotated[
    Path | None,
    typer.Option(
        "--also",
        metavar="PUBLISHED",
        help="Another release of the same people; needs --original.",
        show_default=False,
    ),
]
WindowSize = Annotated[
    int | None,
    typer.Option("--window", metavar="N", help="Of a recorded stream: records in a window.", show_default=False),
]
WindowAdvance = Annotated[
    int | None,
    typer.Option(
        "--advance", metavar="M", help="Of a recorded stream: by how many a window advanced.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, and nothing else there.")]
