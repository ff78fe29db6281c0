"""Cholec80-CVS: scored intervals for three criteria of the critical view of safety in Cholec80."""
