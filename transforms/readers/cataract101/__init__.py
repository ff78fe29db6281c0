"""Cataract-101: phases of 101 cataract operations and the surgeon's level, in three tables."""
