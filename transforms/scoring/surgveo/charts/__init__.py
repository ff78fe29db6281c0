"""Charts of scores as SVG, by exact sums: the same scores, the same bytes."""

from transforms.scoring.surgveo.charts.shares import shares_chart
from transforms.scoring.surgveo.charts.violin import violin_chart

__all__ = ["shares_chart", "violin_chart"]
