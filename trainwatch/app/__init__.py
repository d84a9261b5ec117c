"""The program: configuration, the daemon, the commands and the screen."""
