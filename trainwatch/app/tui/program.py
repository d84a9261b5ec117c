"""What is the same for every program of ours on a terminal, whatever it shows: colours, pictures, its end.

The trap: Textual prints pages where a program fails. The command line has a sentence for it (app/cli.py).
"""

import sys
from collections.abc import Callable, Iterable
from typing import Any, TypedDict, Unpack

from rich.console import Console, RenderableType
from textual._compositor import CompositorUpdate
from textual.driver import Driver
from textual.message import Message
from textual.screen import Screen

from trainwatch.app.tui import leaving, theme
from trainwatch.app.tui.calm import Calm
from trainwatch.app.tui.choices import Choice, colours
from trainwatch.app.tui.habits import Habits
from trainwatch.app.tui.inturn import InTurn
from trainwatch.app.tui.lettinggo import let_go
from trainwatch.app.tui.line import Line
from trainwatch.app.tui.onlylooking import Guarded
from trainwatch.app.tui.saving import Saver

_TURN_S = 5e-4


class Given(TypedDict, total=False):
    """What a program is handed from outside."""

    colours: str  # the name of a theme
    save_picture: Callable[[str], str] | None  # keeps an SVG, and says where
    save_png: Callable[[str], str] | None  # keeps an SVG as PNG, and says where
    save_view: (
        Callable[[Iterable[str]], str] | None
    )  # keeps a table that comes in pieces, and says where
    for_s: float | None  # after so many seconds it leaves by itself
    read_only: bool  # no key changes a thing outside it
    driver: type[Driver] | None  # draws; without one, that of a terminal
    habits: Habits | None  # know what was chosen before, and are told what is chosen


class Program(InTurn, Guarded):
    """One."""

    TITLE = "trainwatch"  # of pictures that are saved
    ENABLE_COMMAND_PALETTE = False

    class Said(Message):
        """What became of what a thread did."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, **given: Unpack[Given]) -> None:
        """What is not given is not done."""
        colours = given.get("colours", theme.DARK)
        ansi = colours == theme.TERMINAL or None
        super().__init__(driver_class=given.get("driver"), ansi_color=ansi)
        let_go()
        self.animation_level = "none"
        for each in theme.THEMES:
            self.register_theme(each)
        self.theme = colours
        self.read_only, self._for_s = given.get("read_only", False), given.get("for_s")
        self._save_picture = given.get("save_picture")
        self._save_view, self._save_png = given.get("save_view"), given.get("save_png")
        self._saver = Saver(lambda said: self._tell(self.Said(said)))
        self._line, self._held = Line(), ""
        self.habits = given.get("habits") or Habits()
        self.habits.began({"theme": colours})

    def get_driver_class(self) -> type[Driver]:
        """On a terminal our own, else as Textual has it."""
        from trainwatch.app.tui.keyboard import Keyboard

        found = super().get_driver_class()
        return Keyboard if issubclass(Keyboard, found) else found

    def on_load(self) -> None:
        """Other threads read: who paints waits half a ms for its turn each time, and not Python's 5."""
        sys.setswitchinterval(_TURN_S)

    def get_default_screen(self) -> Calm:
        """The one that everything is on."""
        return Calm(id="_default")

    def leave_in_order(self) -> None:
        """When a signal says so, or the time is over. Stopped (ctrl+z) and continued, it is drawn again."""
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())
        leaving.on_signals(self.exit)
        if self._for_s is not None:
            self.set_timer(self._for_s, self.exit)

    def exit(self, *arguments: Any, **options: Any) -> None:
        """It is over: what was chosen until now is what is kept."""
        self.note()
        super().exit(*arguments, **options)

    def note(self) -> None:
        """Remember what is chosen now."""
        self.habits.note({"theme": self.theme})

    @property
    def failure(self) -> Exception | None:
        """What ended it before its time: a bug."""
        return self._exception

    def _fatal_error(self) -> None:
        """The screen ends. Textual would print pages; the command line has a sentence (app/cli.py)."""
        self._close_messages_no_wait()

    def choices(self) -> list[Choice]:
        """All that can be done now."""
        return [] if self.no_color else [colours(self, name) for name in theme.NAMES]

    def action_palette(self) -> None:
        """All that can be done, to be found by its words."""
        from trainwatch.app.tui.palette import Palette

        self.push_screen(Palette(self.choices()))

    def action_press(self, key: str) -> None:
        """A hint was clicked."""
        self.simulate_key(key)

    def action_colours(self) -> None:
        """Another theme; without colours there is but one."""
        if not self.no_color:
            self.take_colours(theme.after(self.theme))

    def take_colours(self, name: str) -> None:
        """From now on those of this theme."""
        self.theme, self.ansi_color = name, None
        self.say(f"colours: {name}")

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

    def action_redraw(self) -> None:
        """All of it: something else may have written onto the terminal."""
        self._line.forget()
        self.refresh()

    def on_resize(self) -> None:
        """What a terminal does with its cells then, nobody knows. It may have its old size again by now.

        The trap: Textual tells its screens 8 ms later. Where this process has to wait that long for its turn,
        its timer skips the only time it has, and the screen keeps its old size for ever.
        """
        self.action_redraw()
        self.call_later(self._check_resize)

    def _display(
        self, screen: Screen[object], renderable: RenderableType | CompositorUpdate | None
    ) -> None:
        """Textual's way to the terminal: what it shows already is not sent again."""
        if isinstance(renderable, CompositorUpdate) and not (self.is_headless or self.is_inline):
            if self._batch_count or not self._running:
                return  # Textual sends nothing now, either
            changes = self._line.changes(
                renderable, (self.size.width, self.size.height), self.console
            )
            if self.holds_back():
                self._held += changes
                return
            changes, self._held = self._held + changes, ""
            if not changes and self.cursor_position == self._previous_cursor_position:
                return
            renderable = _Changes(changes)
        super()._display(screen, renderable)  # type: ignore[arg-type]
        self.was_painted()

    def holds_back(self) -> bool:
        """Whether what is painted now is not worth a look yet."""
        return False

    def was_painted(self) -> None:
        """Something was."""

    def uncover(self, kept: Screen[Any]) -> None:
        """Close what lies over a screen: while a key was on its way, the next one may have opened help."""
        while self.screen is not kept:
            self.pop_screen()

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


class _Changes(CompositorUpdate):
    """What is left of an update."""

    def __init__(self, text: str) -> None:
        self._text = text

    def render_segments(self, console: Console) -> str:
        """As Textual asks for it."""
        return self._text
