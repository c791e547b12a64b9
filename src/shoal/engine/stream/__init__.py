"""An endless table: windows that slide over it, and classes that leave before their oldest record expires."""
