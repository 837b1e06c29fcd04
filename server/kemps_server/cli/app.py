"""``kemps``: finds the command, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import ast
import builtins
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Any, Final

import typer
from typer.exceptions import TyperException

from kemps_models.errors import ModelError
from kemps_rules.errors import KempsRulesError
from kemps_server.cli.standard_output import forget_stdout, is_lost
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.errors import KempsVisionError

DONE: Final = 0
WORK_FAILED: Final = 1
INPUT_WRONG: Final = 2
INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command's function lives; the module is imported only when it is asked for."""

    name: str
    module: str
    group: str | None = None

    def function(self) -> Callable[..., Any]:
        """The command's function, which carries the name of the command."""
        is_taken = iskeyword(self.name) or hasattr(builtins, self.name)
        name = f"{self.name}_" if is_taken else self.name
        function: Callable[..., Any] = getattr(import_module(self.module), name)
        return function

    def signpost(self) -> Callable[..., Any]:
        """A function that does nothing and has the command's description, read from the source."""
        found = find_spec(self.module)
        source = "" if found is None or found.origin is None else Path(found.origin).read_text("utf-8")
        described = {
            node.name.rstrip("_"): ast.get_docstring(node)
            for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef)
        }

        def pointing() -> None:
            pass

        pointing.__doc__ = described.get(self.name)
        return pointing


COMMANDS: Final = (
    Command("demo", "kemps_server.cli.demo"),
    Command("observe", "kemps_server.cli.observe"),
    Command("read", "kemps_server.cli.read"),
    Command("look", "kemps_server.cli.look"),
    Command("gestures", "kemps_server.cli.gestures"),
    Command("listen", "kemps_server.cli.listen"),
    Command("judge", "kemps_server.cli.judge"),
    Command("correct", "kemps_server.cli.correct"),
    Command("report", "kemps_server.cli.report"),
    Command("reel", "kemps_server.cli.reel"),
    Command("import", "kemps_server.cli.import_"),
    Command("export", "kemps_server.cli.export"),
    Command("backup", "kemps_server.cli.backup"),
    Command("restore", "kemps_server.cli.backup"),
    Command("enrol", "kemps_server.cli.enrol"),
    Command("serve", "kemps_server.cli.serve"),
    Command("add", "kemps_server.cli.users", group="users"),
    Command("list", "kemps_server.cli.users", group="users"),
    Command("password", "kemps_server.cli.users", group="users"),
    Command("remove", "kemps_server.cli.users", group="users"),
    Command("calibrate", "kemps_server.cli.calibrate"),
    Command("doctor", "kemps_server.cli.doctor"),
    Command("models", "kemps_server.cli.models"),
    Command("cards", "kemps_server.bench.cards", group="bench"),
    Command("calibration", "kemps_server.bench.calibration", group="bench"),
    Command("enrolment", "kemps_server.bench.card_enrolment", group="bench"),
    Command("live", "kemps_server.bench.live", group="bench"),
    Command("people", "kemps_server.bench.people", group="bench"),
    Command("replay", "kemps_server.bench.replay", group="bench"),
    Command("server", "kemps_server.bench.server", group="bench"),
    Command("speed", "kemps_server.bench.speed", group="bench"),
    Command("table", "kemps_server.bench.table", group="bench"),
    Command("voice", "kemps_server.bench.voice", group="bench"),
)
GROUP_HELP: Final = {
    "bench": "Accuracy and speed figures, each with the command that makes it.",
    "users": "Who may log in to the server.",
}

_SYSTEM_LIBRARIES: Final = "libegl1 libgles2 libgl1 libglib2.0-0"


def build_app(wanted: str | None = None) -> typer.Typer:
    """The Typer application with the command or group ``wanted``.

    When it names none, the application only tells of all commands and runs none: it is asked for help,
    for the version, or for what does not exist, which need not wait for every library of the project.
    """
    chosen = [command for command in COMMANDS if wanted == (command.group or command.name)]
    app = typer.Typer(
        name="kemps",
        help="Watches a table of Kemps through webcams, keeps the journal of the game and checks every call.",
        no_args_is_help=True,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options_of_all_commands)
    groups: dict[str, typer.Typer] = {}
    for command in chosen or COMMANDS:
        target = app
        if command.group is not None:
            if command.group not in groups:
                groups[command.group] = typer.Typer(no_args_is_help=True)
                groups[command.group].callback()(_nothing)
                app.add_typer(groups[command.group], name=command.group, help=GROUP_HELP[command.group])
            target = groups[command.group]
        target.command(command.name)(command.function() if chosen else command.signpost())
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and leaves with its exit code: 0 done, 1 the work failed, 2 the input was wrong."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    wanted = next((word for word in words if not word.startswith("-")), None)
    sys.exit(_run(wanted, words))


def _where(words: Sequence[str]) -> str:
    """The command as it was asked for, which each line about an error begins with.

    >>> _where(["-v", "judge", "x"]), _where(["bench", "cards"]), _where(["bench", "--help"]), _where(["x"])
    ('kemps judge', 'kemps bench cards', 'kemps bench', 'kemps')
    """
    first, second = [*(word for word in words if not word.startswith("-")), "", ""][:2]
    if any((command.group, command.name) == (first, second) for command in COMMANDS):
        return f"kemps {first} {second}"
    return f"kemps {first}" if first in {command.group or command.name for command in COMMANDS} else "kemps"


def _run(wanted: str | None, words: list[str]) -> int:
    where = _where(words)
    try:
        # Typer gives back the code of a `raise Exit(code)`, else what the command returned.
        code = build_app(wanted)(words, standalone_mode=False)
        # What cannot be written is an error here, not a traceback at the end.
        print(end="", flush=True)  # noqa: T201 - the answer
    except (KempsRulesError, ModelError, KempsVisionError, KempsServerError) as error:
        return _fail(where, str(error), WORK_FAILED if isinstance(error, WorkFailedError) else INPUT_WRONG)
    except TyperException as error:
        message = error.format_message()
        return (
            _fail(where, f"{message.rstrip('.')}; see {where} --help", INPUT_WRONG)
            if message
            else INPUT_WRONG
        )
    except (KeyboardInterrupt, typer.Abort):
        return _fail(where, "interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); nothing is left to tell it.
        forget_stdout()
        return DONE
    except OSError as error:
        if error.filename is None and is_lost():
            forget_stdout()
            return _fail(where, f"standard output cannot be written: {error.strerror or error}", WORK_FAILED)
        return _fail(where, f"{error.filename or 'the system'}: {error.strerror or error}", WORK_FAILED)
    except ImportError as error:
        return _fail(where, _about_import(error), WORK_FAILED)
    return code if isinstance(code, int) else DONE


def _about_import(error: ImportError) -> str:
    if ".so" in str(error):
        return f"a system library is missing ({error}); on Debian run: apt-get install {_SYSTEM_LIBRARIES}"
    return f"{error}; install what the project needs with: make demo"


def _fail(where: str, message: str, code: int) -> int:
    print(f"{where}: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - the one line a person gets
    return code


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"kemps {version('kemps')}")
        raise typer.Exit


def _options_of_all_commands(
    context: typer.Context,
    _version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and leave."
    ),
    verbose: bool = typer.Option(False, "--verbose", "-v", help="Tell on stderr what is being done."),
) -> None:
    # For people a warning looks as any other line of the command; who wants more sees where it comes from.
    brief = f"kemps {context.invoked_subcommand or ''}".rstrip() + ": %(message)s"
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(levelname)s %(name)s: %(message)s" if verbose else brief,
        stream=sys.stderr,
    )


def _nothing() -> None:
    """Keeps a group a group when only one of its commands is there."""
