"""Value sets as text: ``{a, b}``, written so that it can be read back whatever the values look like."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.table.domain import Domain
from shoal.table.texts import texts

#: Values that would be misread inside braces are written as JSON strings.
_AMBIGUOUS = r'[,{}"\\\x00-\x1f]|^\s|\s$|^$|^null$'

#: A lone value that looks like a set is written as a set of one.
_LIKE_A_SET = r'^[{"]'


def from_masks(masks: NDArray[np.uint64], domain: Domain) -> pa.Array:
    """The text of each set, given as bits over the domain's codes."""
    bits = (masks[:, None] >> np.arange(len(domain), dtype=np.uint64)) & np.uint64(1)
    rows, codes = np.nonzero(bits)
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(masks)))])
    return from_members(ends, codes, domain)


def from_members(ends: NDArray[np.int64], codes: NDArray[np.int64], domain: Domain) -> pa.Array:
    """The text of each set, given as runs of codes; a set of missing alone is missing."""
    plain = texts(domain.values)
    members = pa.concat_arrays([_quoted(plain), pa.array(["null"] if domain.missing else [], pa.string())])
    listed = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), members.take(pa.array(codes)))
    braced = pc.binary_join_element_wise("{", pc.binary_join(listed, ", "), "}", "")
    first = codes[ends[:-1]] if len(codes) else np.empty(0, np.int64)
    single = np.diff(ends) == 1
    lone = pa.concat_arrays([_lone(plain), pa.nulls(1, pa.string())])
    alone = lone.take(pa.array(np.minimum(first, domain.known)))
    return pc.if_else(pa.array(single), alone, braced)


def _quoted(values: pa.Array) -> pa.Array:
    doubtful = pc.match_substring_regex(values, _AMBIGUOUS)
    return pc.if_else(doubtful, _as_json(values, doubtful), values)


def _as_json(values: pa.Array, which: pa.Array) -> pa.Array:
    """JSON strings for the few values that need it."""
    import json

    written = [
        json.dumps(v, ensure_ascii=False) if w else v
        for v, w in zip(values.to_pylist(), which.to_pylist(), strict=True)
    ]
    return pa.array(written, pa.string())


def _lone(values: pa.Array) -> pa.Array:
    like = pc.match_substring_regex(values, _LIKE_A_SET)
    if not pc.any(like).as_py():
        return values
    written = pc.binary_join_element_wise("{", _as_json(values, like), "}", "")
    return pc.if_else(like, written, values)
