"""What can be wrong with what a plan says of the people for whom a column is sensitive."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import Problem
from shoal.plan.checks.known import Known
from shoal.plan.values import is_share
from shoal.schema.columns import Column, Mask
from shoal.schema.rules import RuleError

_NEEDED = (
    "is needed: the name of a column of true and false, a rule such as 'age < 18', or a list of the values that are "
    "sensitive"
)
_PUBLISHED = ("quasi-identifying", "sensitive", "semi-sensitive", "insensitive")


def of_masks(known: Known) -> Iterator[Problem]:
    """The mistakes in the masks of all semi-sensitive columns."""
    for column in known.columns:
        if column.role != "semi-sensitive":
            continue
        key = f"columns.{column.name}"
        if column.mask is None:
            if f"{key}.mask" not in known.wrong:
                yield Problem(f"{key}.mask", _NEEDED)
            continue
        yield from _of_rule(key, column, column.mask, known)
        if not is_share(column.mask.cover):
            yield Problem(f"{key}.cover", "expected a share from 0 to 1, such as 0.2 for a fifth of the others")
        said: object = column.mask.disclose_rule
        if not isinstance(said, bool):
            yield Problem(f"{key}.disclose_rule", "expected true or false")


def _of_rule(key: str, column: Column, mask: Mask, known: Known) -> Iterator[Problem]:
    try:
        mask.rule(column.name)
    except RuleError as error:
        yield Problem(f"{key}.mask", str(error))
        return
    if mask.ticked is not None and known.roles.get(mask.ticked) in _PUBLISHED:
        yield Problem(
            f"columns.{mask.ticked}",
            f"is the mask of {column.name}, which must not be published: it needs no role, so leave it out",
        )
    told = [name for name in sorted(mask.columns(column.name)) if _is_secret(name, mask, known)]
    if told and mask.disclose_rule is False:
        yield Problem(
            f"{key}.mask",
            f"depends on {', '.join(told)}, so that whoever is hidden by it gives that away: name a column of ticks "
            "instead, or say disclose_rule = true",
        )


def _is_secret(name: str, mask: Mask, known: Known) -> bool:
    """Whether it would tell something that is not to be learnt, if the mask depends on this column."""
    return name != mask.ticked and known.roles.get(name) in ("identifying", "sensitive", "semi-sensitive")
