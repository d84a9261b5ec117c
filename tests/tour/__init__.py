"""A scripted tour of every pane and key, walked in a real terminal and in a real browser."""
