"""The screen for a browser: drawn into a pipe, keys and clicks from another (app/web holds the ends).

The trap: Textual's driver goes on when nobody is there any more. A killed server must leave no screen.
"""

from textual import messages
from textual.drivers.web_driver import WebDriver


class Driver(WebDriver):
    """Ends the screen when its pipe ends."""

    def run_input_thread(self) -> None:
        """Until the pipe ends, or the screen."""
        super().run_input_thread()
        self._app.post_message(messages.ExitApp())
