"""What is the same for every program of ours on a terminal, whatever it shows: colours, pictures, its end.

The trap: Textual prints pages where a program fails. The command line has a sentence for it (app/cli.py).
"""

from collections.abc import Callable, Iterable

from textual.driver import Driver
from textual.message import Message

from trainwatch.app.tui import leaving, theme
from trainwatch.app.tui.onlylooking import Guarded
from trainwatch.app.tui.saving import Saver


class Program(Guarded):
    """One."""

    TITLE = "trainwatch"  # of pictures that are saved
    ENABLE_COMMAND_PALETTE = False

    class Said(Message):
        """What became of what a thread did."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        colours: str,
        save_picture: Callable[[str], str] | None,
        save_view: Callable[[Iterable[str]], str] | None = None,
        save_png: Callable[[str], str] | None = None,
        *,
        for_s: float | None,
        read_only: bool,
        driver: type[Driver] | None,
    ) -> None:
        """`save_picture` keeps an SVG and says where, `save_view` a table, `save_png` an SVG as PNG.

        After `for_s` seconds the program leaves by itself. If `read_only`, no key changes a thing outside it.
        `driver` draws; without one, that of a terminal.
        """
        super().__init__(driver_class=driver, ansi_color=colours == theme.TERMINAL or None)
        self.animation_level = "none"
        for each in theme.THEMES:
            self.register_theme(each)
        self.theme = colours
        self._save_picture, self._for_s = save_picture, for_s
        self.read_only = read_only
        self._save_view, self._save_png = save_view, save_png
        self._saver = Saver(lambda said: self._tell(self.Said(said)))

    def leave_in_order(self) -> None:
        """When a signal says so, or the time is over."""
        leaving.on_signals(self.exit)
        if self._for_s is not None:
            self.set_timer(self._for_s, self.exit)

    @property
    def failure(self) -> Exception | None:
        """What ended it before its time: a bug."""
        return self._exception

    def _fatal_error(self) -> None:
        """The screen ends. Textual would print pages; the command line has a sentence (app/cli.py)."""
        self._close_messages_no_wait()

    def action_press(self, key: str) -> None:
        """A hint was clicked."""
        self.simulate_key(key)

    def action_colours(self) -> None:
        """Another theme; without colours there is but one."""
        if not self.no_color:
            self.theme = theme.after(self.theme)
            self.ansi_color = None

    def action_picture(self) -> None:
        """Keep a picture of the screen."""
        if self._save_picture is None:
            return
        try:
            said = f"saved {self._save_picture(self.export_screenshot())}"
        except OSError as error:
            said = f"cannot save the picture: {error.strerror or error}"
        self.say(said)

    def action_png(self) -> None:
        """Keep a picture of the screen that any program shows."""
        save, picture = self._save_png, self.export_screenshot()
        if save is not None:
            self.say(self._saver.save(lambda: save(picture)))

    def keep_view(self, pieces: Iterable[str]) -> None:
        """Keep a table that is made while it is written."""
        save = self._save_view
        if save is not None:
            self.say(self._saver.save(lambda: save(pieces)))

    def on_program_said(self, event: Said) -> None:
        """What became of what a thread did."""
        self.say(event.text)

    def _tell(self, message: Message) -> None:
        """From another thread; the screen may be gone."""
        if self.is_running:
            self.post_message(message)
