"""What leaves the building: tables, manifest and README, written whole or not at all, and read back."""
