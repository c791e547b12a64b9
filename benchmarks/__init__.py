"""Figures, as ratios measured in one run against peers on the same machine."""
