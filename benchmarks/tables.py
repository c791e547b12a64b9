"""Synthetic tables that look like a census: skewed, correlated, reproducible."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

TEXTS = {"sex": 2, "marital": 6, "region": 10}


def people(count: int, seed: int = 2026) -> pa.Table:
    """Four integer columns of 17 to 99 values and three text columns of 2, 6 and 10."""
    draw = np.random.default_rng(seed)
    age = np.clip(draw.normal(42, 18, count), 0, 90).astype(np.int64)
    education = np.clip(draw.normal(9 + (age > 25) * 2, 2.5, count), 0, 16).astype(np.int64)
    hours = np.where(draw.random(count) < 0.45, 40, np.clip(draw.normal(38, 14, count), 1, 99)).astype(np.int64)
    weeks = np.where(draw.random(count) < 0.6, 52, draw.integers(0, 53, count)).astype(np.int64)
    columns = {"age": age, "education": education, "hours": hours, "weeks": weeks}
    arrays = {name: pa.array(values) for name, values in columns.items()}
    for name, values in TEXTS.items():
        share = 1 / np.arange(1, values + 1) ** 1.2
        drawn = draw.choice(values, count, p=share / share.sum())
        labels = pa.array([f"{name} {i}" for i in range(values)])
        arrays[name] = pa.DictionaryArray.from_arrays(pa.array(drawn.astype(np.int32)), labels).cast(pa.string())
    return pa.table(arrays)
