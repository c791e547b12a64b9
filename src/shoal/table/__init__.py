"""How records are held: any source becomes codes over small ordered domains, and classes over codes."""
