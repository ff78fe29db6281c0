"""Files of every kind that surgqa reads, damaged in drawn ways, and read by the command line.

``python -m tests.damage --count 5000 --seed S`` tries so many; a seed and a number name a try.
"""
