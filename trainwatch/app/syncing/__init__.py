"""Sending files away: to the Hub, another folder, or an object store."""
