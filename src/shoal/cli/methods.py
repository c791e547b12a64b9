"""`shoal methods`: how records can be grouped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli import options

if TYPE_CHECKING:
    from shoal.plan.methods import Card


def methods(json: options.Json = False) -> int:
    """List the methods, and what each can promise."""
    from shoal.cli import terminal
    from shoal.plan.methods import METHODS

    cards = [method.card for method in METHODS.values()]
    if json:
        terminal.write_json({"methods": [_as_dict(card) for card in cards]})
        return 0
    table = terminal.tabulated("method", "what it does", "promises", "forms", "cost")
    for card in cards:
        table.add_row(card.name, card.idea, ", ".join(_promises(card)), ", ".join(card.forms), card.cost)
    console = terminal.console()
    console.print(table, "")
    for card in cards:
        console.print(f"{card.name} reads sensitive values {card.reads_sensitive}. From: {card.paper}.\n")
    return 0


def _promises(card: Card) -> list[str]:
    return [promise for promise in ("k", "l", "t", "size") if promise in card.promises]


def _as_dict(card: Card) -> dict[str, Any]:
    return {**vars(card), "promises": _promises(card), "forms": list(card.forms)}
