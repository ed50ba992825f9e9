"""Authoring: the lints behind `duplexkit check`."""
