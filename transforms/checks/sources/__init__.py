"""Reads the label files of a dataset a second time, to compare the evidence with them.

``tables/<dataset>.yaml`` states in SQL what a dataset's files contain.  This package does not use
the readers of :mod:`transforms.readers`.
"""

from surgqa.transforms.checks.sources.reopen import Reopened, reopen

__all__ = ["Reopened", "reopen"]
