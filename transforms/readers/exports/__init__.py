"""User-supplied exports of labelling tools: COCO, YOLO, CVAT, Label Studio."""
