#!/usr/bin/env bash
# Runs the GPU tests and benchmarks on a machine with an NVIDIA GPU, and prints a short table last.
#   test/gpu/run.sh [SECTION...]   sections: tests records bench soak sanitize; all of them where none is named
# Before: `npm run build && node test/gpu/pack.mjs` where npm is; then bring the repository with dist/gpu, dist/host
# and native/build/Release to the GPU machine. Results and recorded runs go to the folder $OUT (default: dist/gpu/out).
set -uo pipefail
cd "$(dirname "$0")/../.."
export OUT="${OUT:-$PWD/dist/gpu/out}"
mkdir -p "$OUT/runs"

if [ -f dist/gpu/node.xz ]; then
  unpacked="$(mktemp -d)"
  xz -dc dist/gpu/node.xz > "$unpacked/node" && chmod +x "$unpacked/node"
  export PATH="$unpacked:$PATH"
fi
node --version || { echo "Node is missing: pack it with 'node test/gpu/pack.mjs'."; exit 2; }

status=0
copyscope() { node dist/host/cli.js "$@"; }
say() { echo "$*" | tee -a "$OUT/table.txt"; }
# Runs a command with a limit in seconds, and says in the table how it ended and how long it took.
step() {
  local name="$1" limit="$2" start code
  shift 2
  start="$(date +%s.%N)"
  timeout --kill-after=10 "$limit" "$@"
  code=$?
  say "$(printf '%-22s %-8s %5.1f s' "$name" "$([ $code -eq 0 ] && echo ok || echo "FAILED $code")" "$(echo "$(date +%s.%N) $start" | awk '{print $1 - $2}')")"
  [ $code -eq 0 ] || status=1
}

run_tests() {
  step tests 240 bash -o pipefail -c \
    'node --test --test-reporter=spec --test-concurrency=1 dist/gpu/*.test.js 2>&1 | tee "$OUT/tests.log"'
  say "  $(grep -E '^. (tests|pass|fail|skipped) ' "$OUT/tests.log" | tr -d '\n')"
}

run_records() {
  for case in pageable-same-stream pinned-same-stream pageable-side-stream pinned-side-stream; do
    copyscope run "assets/examples/overlap/$case.json" --engine cuda --iterations 15 --out "$OUT/runs/$case.arrow" --json \
      > "$OUT/runs/$case.json" || status=1
  done
  # One that this machine or engine can't run, as those for two GPUs, says so and is left out.
  grep -v '^#' test/gpu/lesson-runs.txt | while read -r id; do
    mkdir -p "$OUT/runs/$(dirname "$id")"
    copyscope run "assets/examples/$id.json" --engine cuda --iterations 5 --out "$OUT/runs/$id.arrow" --json \
      > "$OUT/runs/$id.json" || say "  not recorded: $id"
  done
  step copy-times 120 node dist/gpu/copy-times.js
  command -v python3 > /dev/null && python3 test/gpu/pytorch_overlap.py "$OUT/pytorch.json" 2>&1 | tail -n 6
}

run_bench() {
  step 'copyscope bench' 240 bash -o pipefail -c \
    'node dist/host/cli.js bench --compare-pytorch --out "$OUT/bench.json" 2>&1 | tee "$OUT/bench.txt"'
  step submit-cost 60 node dist/gpu/submit-cost.js
  step copy-engine 200 node dist/gpu/copy-engine.js
  command -v python3 > /dev/null && step 'copies in PyTorch' 120 python3 test/bench/gpu/pytorch_copies.py
}

run_soak() { step soak 300 node dist/gpu/soak.js; }

# CUPTI can't be used under compute-sanitizer, so device times come from CUDA events; each operation is some hundred
# times as slow, so the set of tests is short.
run_sanitize() {
  local tool sanitizer
  sanitizer="$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2> /dev/null | head -n 1)"
  if [ -z "$sanitizer" ]; then
    say 'compute-sanitizer      skipped: there is none on this machine (it comes with the CUDA toolkit)'
    return
  fi
  for tool in memcheck racecheck; do
    step "compute-sanitizer $tool" 200 "$sanitizer" --tool "$tool" --error-exitcode 9 --target-processes all \
      --log-file "$OUT/$tool.log" node dist/gpu/sanitize.js
    say "  $(grep -hE 'SUMMARY' "$OUT/$tool.log" | sort | uniq -c | head -n 5)"
  done
}

: > "$OUT/table.txt"
copyscope devices || status=1
sections=("$@")
[ $# -gt 0 ] && [ "$1" != all ] || sections=(tests records bench soak sanitize)
for section in "${sections[@]}"; do
  case "$section" in
    tests | records | bench | soak | sanitize) "run_$section" ;;
    *) echo "There is no section $section."; exit 2 ;;
  esac
done

echo
cat "$OUT/table.txt"
exit "$status"
