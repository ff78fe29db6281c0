"""Certain answers for many fillings at once, in columns.

A value is never a number alone: it says for each filling whether it is defined in every world
that the labels allow (``ok``), and within which bounds it then lies.  What is not the same in all
worlds is not an answer.
"""
