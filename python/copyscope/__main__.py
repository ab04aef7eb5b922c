"""python -m copyscope FILE opens the window; python -m copyscope COMMAND is the command line."""

import os
import sys

from ._program import CopyscopeError, command


def main():
    try:
        words = command(*sys.argv[1:])
    except CopyscopeError as error:
        sys.exit(f"Error: {error}")
    os.execv(words[0], words)


if __name__ == "__main__":
    main()
