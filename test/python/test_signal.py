"""Recordings of a running program: by a signal, and by copyscope attach."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from standin import PYTHON, StandInTest

WAITING = """
copyscope.on_signal(seconds=0.5)
print("ready", flush=True)
while not os.path.exists("over"):
    copyscope.step()
    play(1)
    time.sleep(0.005)
"""


class Signal(StandInTest):
    def start_waiting(self, text=WAITING, **environment):
        program = self.start(text, **environment)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        while program.stdout.readline().strip() != "ready":
            self.assertIsNone(program.poll())
        return program

    def end(self, program):
        (self.folder / "over").touch()
        _, err = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 0, err)
        return err

    def end_when_recorded(self, program):
        while not (self.folder / "run.arrow.parts").is_dir() and program.poll() is None:
            time.sleep(0.1)
        # Some steps are recorded before it ends.
        time.sleep(1)
        self.end(program)

    def cli(self, *words):
        return subprocess.run([sys.executable, "-m", "copyscope", *map(str, words)], cwd=self.folder, text=True,
                              env={**os.environ, "PYTHONPATH": str(PYTHON)}, capture_output=True, timeout=300)

    def test_records_each_time_that_the_signal_comes(self):
        program = self.start_waiting()
        for ending in ("", "-2"):
            program.send_signal(signal.SIGUSR2)
            path = self.folder / f"recording-{program.pid}{ending}.arrow"
            for _ in range(600):
                if path.exists():
                    break
                time.sleep(0.1)
            # The second signal may not come before the first recording is over.
            time.sleep(1)
        self.end(program)
        out, _ = self.run_program(f"""
for ending in ("", "-2"): print(copies("recording-{program.pid}" + ending + ".arrow") > 10)
""")
        self.assertEqual(out, ["True", "True"])

    def test_attach_records_steps_and_explains_them(self):
        program = self.start_waiting()
        ended = self.cli("attach", program.pid, "--steps", 20, "--out", "run.arrow")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("Recorded: 20 copies", ended.stderr)
        self.assertIn("step", ended.stdout)
        self.end(program)
        self.assertEqual(sorted(os.listdir(self.folder)), ["over", "program.py", "run.arrow"])

    def test_attach_keeps_a_recording_whose_program_ends_during_it(self):
        program = self.start_waiting()
        ending = threading.Thread(target=self.end_when_recorded, args=(program,))
        ending.start()
        ended = self.cli("attach", program.pid, "--duration", 300, "--out", "run.arrow")
        ending.join()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue((self.folder / "run.arrow").exists())

    def test_attach_never_signals_a_program_that_does_not_wait(self):
        program = self.start_waiting(WAITING.replace("copyscope.on_signal(seconds=0.5)", ""))
        ended = self.cli("attach", program.pid)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("import copyscope; copyscope.on_signal()", ended.stderr)
        self.end(program)

    def test_attach_tells_what_failed_in_the_program(self):
        program = self.start_waiting(COPYSCOPE_STANDIN_TAKEN="CUPTI for Kineto")
        ended = self.cli("attach", program.pid)
        self.assertEqual(ended.returncode, 3)
        self.assertIn("CUPTI for Kineto uses CUPTI", ended.stderr)
        self.end(program)


if __name__ == "__main__":
    unittest.main()
