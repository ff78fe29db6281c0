"""Options of a job as Beam reads them."""

from __future__ import annotations

from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions


class Options(PipelineOptions):
    """Beam options that create each view (``view_as``) only once.

    Beam requests a view at every step of the graph and would parse all arguments each time, which
    takes a tenth of a small build.  All views of the same options share their values.
    """

    def view_as(self, cls: type[Any]) -> Any:
        views = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        return views[cls]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the views, which are created again when requested."""
        return {name: value for name, value in super().__getstate__().items() if name != "_views"}
