"""Agents: the interface that the loop drives, and the baseline agents that bound every metric."""
