"""User-supplied tables, and the mapping file that defines their columns."""
