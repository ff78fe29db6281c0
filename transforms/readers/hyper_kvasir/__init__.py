"""HyperKvasir: stills and films of gastrointestinal endoscopy with one class each."""
