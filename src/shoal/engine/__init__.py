"""Where it runs."""
