"""What annotation tools export (COCO, YOLO, CVAT, Label Studio), for data of one's own."""
