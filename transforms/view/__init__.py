"""Looking at a finished dataset: queries over its files, and a page that shows what they give.

Nothing here changes a dataset, and nothing is loaded whole: DuckDB reads the Parquet files
where they lie.
"""

from transforms.view.api import Api
from transforms.view.database import Database
from transforms.view.server import Server

__all__ = ["Api", "Database", "Server"]
