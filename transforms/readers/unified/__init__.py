"""SurgCoT's unified JSON: speech, actions, tracks, anomalies and phases of one video a file."""
