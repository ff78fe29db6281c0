"""Read back what a build or an observation wrote."""

from transforms.store.folder import OutputFolder

__all__ = ["OutputFolder"]
