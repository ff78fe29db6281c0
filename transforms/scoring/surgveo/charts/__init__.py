"""Charts of scores as SVG, computed exactly: the same scores give the same bytes."""

from transforms.scoring.surgveo.charts.shares import shares_chart
from transforms.scoring.surgveo.charts.violin import violin_chart

__all__ = ["shares_chart", "violin_chart"]
