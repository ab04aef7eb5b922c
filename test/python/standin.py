"""Tests over the stand-in for CUPTI: the programs that they start, and what these programs share."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PYTHON = Path(os.environ.get("COPYSCOPE_TEST_PACKAGE") or Path(__file__).resolve().parents[2] / "python")

PRELUDE = """
import ctypes, json, os, sys, threading, time, warnings
import copyscope
program = ctypes.CDLL("libstandin_program.so")
STEPS, NONE = 0, 3
def play(steps, marks=NONE): program.standinPlay(steps, marks)
def copies(run):
    rows = copyscope.explain(run).data["operations"]
    return sum(row["kind"] == "copy" for row in rows)
"""


class StandInTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, text, prelude=PRELUDE, python=sys.executable, **environment):
        path = self.folder / "program.py"
        path.write_text(prelude + text)
        env = {**os.environ, "PYTHONPATH": str(PYTHON) if prelude else "", **environment}
        return subprocess.Popen([python, str(path)], cwd=self.folder, env=env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_program(self, text, code=0, **environment):
        """Returns the lines that a program printed, and its standard error."""
        started = self.start(text, **environment)
        out, err = started.communicate(timeout=300)
        self.assertEqual(started.returncode, code, err)
        # The stand-in prints "0 STEP" for each step that it plays.
        return [line for line in out.splitlines() if not line.startswith("0 ")], err
