"""The figures of the papers, measured again: ``python -m benchmarks.papers NAME --data DIR``."""
