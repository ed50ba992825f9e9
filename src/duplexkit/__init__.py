"""duplexkit: declare, prove, speak and score benchmark scenarios for full-duplex voice agents."""

__version__ = "0.1.0"
