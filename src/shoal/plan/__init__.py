"""What the steward decided: roles, requirements, method and form, as one object and one TOML file."""
