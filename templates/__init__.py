"""The questions, as data: one YAML file each."""
