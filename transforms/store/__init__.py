"""What lies on disk after a build: reading it back."""

from transforms.store.folder import OutputFolder

__all__ = ["OutputFolder"]
