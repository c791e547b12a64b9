"""How the tests of this repository run: as many random examples as the occasion allows, and no clock.

Compiled kernels are cached beside their source, so only the first run after a change waits for them; an
example that happens to be that first run must not fail for being slow.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW_TO_START = [HealthCheck.too_slow]

settings.register_profile("default", deadline=None, suppress_health_check=_SLOW_TO_START)
# Where a change is judged, the same examples are drawn each time: it must not be lot that decides. New ones are tried
# by everybody else who runs the tests.
settings.register_profile(
    "ci", deadline=None, suppress_health_check=_SLOW_TO_START, print_blob=True, database=None, derandomize=True
)
settings.register_profile("deep", deadline=None, suppress_health_check=_SLOW_TO_START, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))
