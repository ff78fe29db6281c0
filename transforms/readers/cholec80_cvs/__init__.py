"""Cholec80-CVS: the critical view of safety in Cholec80's videos, three criteria with times."""
