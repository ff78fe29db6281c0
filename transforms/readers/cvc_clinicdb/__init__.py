"""CVC-ClinicDB: still images of colonoscopy with masks of polyps."""
