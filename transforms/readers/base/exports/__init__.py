"""Read the exports of annotation tools (COCO, YOLO, CVAT, Label Studio) for user-supplied data."""
