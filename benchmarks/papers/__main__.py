"""One paper's figures by one command: ``python -m benchmarks.papers NAME --data DIR [--out docs/papers] [--quick]``.

A paper is a module beside this one, named like its main method, with a function ``measured(data, quick)``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
from pathlib import Path

from benchmarks import papers

_ROOMS = {"__main__", "figures", "page"}


def main() -> None:
    """Measure, and write the page with its charts."""
    names = sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(papers.__path__))
    parser = argparse.ArgumentParser(prog="benchmarks.papers")
    parser.add_argument("name", choices=[name for name in names if name not in _ROOMS])
    parser.add_argument("--data", type=Path, default=os.environ.get("SHOAL_DATA"), help="the folder of real tables")
    parser.add_argument("--out", type=Path, default=Path("docs/papers"), help="where the page is written")
    parser.add_argument("--quick", action="store_true", help="fewer settings, to see that all of it runs")
    chosen = parser.parse_args()
    if chosen.data is None:
        print(f"{chosen.name}: skipped, there is no data folder (--data, or SHOAL_DATA)")
        return
    from benchmarks.papers import page

    paper = importlib.import_module(f"benchmarks.papers.{chosen.name.replace('-', '_')}")
    print(page.write(paper.measured(Path(chosen.data), quick=chosen.quick), chosen.name, chosen.out))


if __name__ == "__main__":
    main()
