"""What the checks know of a plan: its columns as far as they are understood, and the mistakes found so far."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.schema.columns import ROLES, Column


@dataclass(frozen=True)
class Known:
    """The columns as far as they are understood, and the keys of the mistakes found so far."""

    columns: tuple[Column, ...]
    wrong: frozenset[str]

    @property
    def roles(self) -> dict[str, str]:
        return {column.name: column.role for column in self.columns}

    @property
    def sensitive(self) -> dict[str, Column]:
        """The columns of which l and t may speak."""
        return {column.name: column for column in self.columns if column.role in ("sensitive", "semi-sensitive")}

    @property
    def unsure(self) -> bool:
        """Whether some column's role could not be understood, or nobody knows which columns there are."""
        if self._sections_wrong:
            return True
        roles = self.roles
        return any(name in roles or not any(name.startswith(f"{known}.") for known in roles) for name in self._named)

    def doubts(self, name: object) -> bool:
        """Whether a mistake about the role of this column was found, from which others would follow."""
        if not isinstance(name, str):
            return False
        dotted = any(name.startswith(f"{part}.") for part in self._named)  # a dot without quotes cuts a name in two
        return name in self._named or (name not in self.roles and (dotted or self._sections_wrong))

    @property
    def _named(self) -> list[str]:
        """What stands after ``columns.`` in the keys of the mistakes."""
        return [key.removeprefix("columns.") for key in self.wrong if key.startswith("columns.")]

    @property
    def _sections_wrong(self) -> bool:
        """Whether the columns as a whole could not be understood."""
        return bool(self.wrong & {"columns", *(role.replace("-", "_") for role in ROLES)})

    def is_wrong(self, section: str) -> bool:
        """Whether a mistake was found in this section."""
        return any(key == section or key.startswith(f"{section}.") for key in self.wrong)
