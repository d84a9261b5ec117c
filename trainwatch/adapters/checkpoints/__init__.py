"""The checkpoints inside one root: listed, moved into the trash and back, and deleted for good."""
