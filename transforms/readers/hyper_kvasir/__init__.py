"""HyperKvasir: still images and videos of gastrointestinal endoscopy with one class each."""
