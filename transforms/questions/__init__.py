"""Which questions this evidence allows."""
