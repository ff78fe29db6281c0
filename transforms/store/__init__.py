"""Read the files that ``surgqa build`` and ``surgqa observe`` wrote.

An output is the folder of a finished dataset. An evidence store is the folder of what models found
in videos.
"""

from surgqa.transforms.store.folder import OutputFolder

__all__ = ["OutputFolder"]
