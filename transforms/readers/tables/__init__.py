"""User-supplied tables: events, segments, boxes, ratings and labels, with a mapping file."""
