"""Read SurgCoT's unified JSON, with one file per video: its header and its entries."""
