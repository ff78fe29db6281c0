"""The label files of a dataset, opened a second time.

``tables/<dataset>.yaml`` says in SQL what the files of a dataset say; nothing here knows how the
readers of :mod:`transforms.readers` find it.
"""

from transforms.checks.sources.reopen import Reopened, reopen

__all__ = ["Reopened", "reopen"]
