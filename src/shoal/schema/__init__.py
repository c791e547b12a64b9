"""What the columns mean: roles, and the hierarchies by which values become coarser."""
