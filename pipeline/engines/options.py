"""Options of a job as Beam reads them."""

from __future__ import annotations

from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions


class Options(PipelineOptions):
    """Options of which each view is made once.

    Beam asks for a view at every step that is laid out, and would read all arguments anew for each:
    a tenth of a small build.  All views of the same options share their values.
    """

    def view_as(self, cls: type[Any]) -> Any:
        views = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        return views[cls]

    def __getstate__(self) -> dict[str, Any]:
        """Without the views, which are made again where they are asked for."""
        return {name: value for name, value in super().__getstate__().items() if name != "_views"}
