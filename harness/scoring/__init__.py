"""Metrics: pure functions on typed records, speech detection, and their statistics."""
