"""Read the files that ``surgqa build`` and ``surgqa observe`` wrote."""

from surgqa.transforms.store.folder import OutputFolder

__all__ = ["OutputFolder"]
