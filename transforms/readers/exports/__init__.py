"""Own exports of labelling tools: COCO, YOLO, CVAT, Label Studio."""
