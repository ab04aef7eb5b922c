"""%load_ext copyscope, and %%copyscope."""

import argparse
import shlex

from ._program import CopyscopeError
from ._record import record


def load(shell):
    """%load_ext copyscope."""

    def copyscope(line, cell):
        """Records a cell and shows its report: %%copyscope [RUN.arrow] [--light] [--no-lines] [--steps 3..5]."""
        words = argparse.ArgumentParser(prog="%%copyscope", add_help=False)
        words.add_argument("path", nargs="?")
        words.add_argument("--light", action="store_true")
        words.add_argument("--no-lines", dest="lines", action="store_false")
        words.add_argument("--steps")
        try:
            options = vars(words.parse_args(shlex.split(line)))
        except SystemExit:
            return None
        with record(options.pop("path"), **options) as recording:
            result = shell.run_cell(cell)
        if result.success and recording.problem is None:
            try:
                return recording.explain()
            except CopyscopeError as error:
                print(error)
        return None

    shell.register_magic_function(copyscope, "cell", "copyscope")
