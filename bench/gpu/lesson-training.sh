#!/usr/bin/env bash
# Records lesson_training.py before and after its change, for a lesson: two files *.cprec in $OUT, and what a step takes
# without the recorder (printed). `copyscope export FILE.cprec --format arrow` makes a run of each.
set -euo pipefail
cd "$(dirname "$0")/../.."
library="$PWD/native/build/Release/libcopyscope_record.so"
# Under a name of its own: no path of the machine goes into a recording that ships.
program="import sys; exec(compile(open('bench/gpu/lesson_training.py').read(), 'train.py', 'exec'))"
for way in before after; do
  python3 -c "$program" "$way" 200
  parts="$(mktemp -d)"
  CUDA_INJECTION64_PATH="$library" NVTX_INJECTION64_PATH="$library" COPYSCOPE_RECORD_FOLDER="$parts" \
    COPYSCOPE_RECORD_STEPS=41..44,61..64 COPYSCOPE_RECORD_STEP_RANGE=step python3 -c "$program" "$way" 120
  cp "$parts"/*.cprec "${OUT:-.}/training-$way.cprec"
  rm -r "$parts"
done
