"""Compiled corpora: writing, reading and proving them; and the shipped sources under `scenes/`."""
