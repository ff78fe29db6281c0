"""SurgCoT's unified JSON, one file a video: its header, its entries, what they say."""
