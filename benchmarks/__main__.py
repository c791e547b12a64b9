"""All figures in one run: ``python -m benchmarks [--records N] [--data DIR]``.

Every figure is a ratio of two things measured one after the other on this machine; bare seconds are shown for
orientation only.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from benchmarks import adult, drawing, scale


def main() -> None:
    """Print the ratios that the project is held to."""
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("--records", type=int, default=10_000_000, help="records of the large synthetic table")
    parser.add_argument("--data", type=Path, default=os.environ.get("SHOAL_DATA"), help="a folder with Adult")
    parser.add_argument("--repeat", type=int, default=3, help="take the best of so many runs")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        scale.report(Path(folder), chosen.records, chosen.repeat)
        if chosen.data is None:
            print("Adult: skipped, there is no data folder (--data, or SHOAL_DATA)")
        else:
            adult.report(Path(folder), Path(chosen.data), chosen.repeat)
    drawing.report(chosen.records, None if chosen.data is None else Path(chosen.data), chosen.repeat)


if __name__ == "__main__":
    main()
