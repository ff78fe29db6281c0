"""Questions that are put at a time, found in a video's facts."""

from transforms.questions.queries.ask import AskedQueries, ask_queries

__all__ = ["AskedQueries", "ask_queries"]
