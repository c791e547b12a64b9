"""Anatomy's grouping as a referee: whether each class, and each record that is left over, is where it may be."""

from __future__ import annotations

from collections.abc import Sequence

from tests.partition.refining_partition_oracle import check_draws


def check(drawn: Sequence[Sequence[int]], residue: Sequence[tuple[int, int]], secret: Sequence[int], l: int) -> None:
    """``drawn`` are the classes before the residue, in their order; of the residue, each record and its class."""
    check_draws([range(len(secret))], [drawn], secret, l)
    assert len(residue) == len(secret) % l
    classes = [list(held) for held in drawn]
    for i, number in residue:
        assert secret[i] not in {secret[j] for j in classes[number]}
        classes[number].append(i)
