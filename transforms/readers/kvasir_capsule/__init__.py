"""Kvasir-Capsule: findings, landmarks and view quality in video capsule endoscopy."""
