"""The world runtime: typed state, expressions, tools, replay, the hash tree, the reward."""
