"""Which questions this evidence allows: filling a program, its answer, wrong options and words."""
