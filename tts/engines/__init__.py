"""Speech engines: one adapter a module. Each has `VOICES`, `fingerprint()` and an engine class."""
