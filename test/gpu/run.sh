#!/usr/bin/env bash
# Runs the GPU tests and benchmarks on a machine with an NVIDIA GPU, and prints a short table last.
#   test/gpu/run.sh [SECTION...]   sections: promises tests sanitize soak records corpus blind noise bench calibrate gains sweep code
#             libraries placement two ranks
# Where none is named: promises, tests, sanitize and soak, which tell all that the copy engine promises, one line each
# ("name: figure (limit) held"). The whole call ends within $SECONDS_IN_ALL seconds (570): a section that has no time
# left is said to be not measured, and the soak does as many runs as fit.
# Before: `npm run build && node test/gpu/pack.mjs` where npm is; then bring the repository with dist/gpu, dist/host
# and native/build/Release to the GPU machine. Results and recorded runs go to the folder $OUT (default: dist/gpu/out).
# COPYSCOPE_TRIAL=cpu tries the script where there is no GPU: what only CUDA does then fails or is skipped.
set -uo pipefail
cd "$(dirname "$0")/../.."
export OUT="${OUT:-$PWD/dist/gpu/out}"
mkdir -p "$OUT/runs"
readonly in_all="${SECONDS_IN_ALL:-570}"
[ "${COPYSCOPE_TRIAL:-}" = cpu ] && export COPY_DEVICE=cpu-device:0

if [ -f dist/gpu/node.xz ]; then
  unpacked="$(mktemp -d)"
  xz -dc dist/gpu/node.xz > "$unpacked/node" && chmod +x "$unpacked/node"
  export PATH="$unpacked:$PATH"
fi
node --version || { echo "Node is missing: pack it with 'node test/gpu/pack.mjs'."; exit 2; }

status=0
copyscope() { node dist/host/cli.js "$@"; }
say() { echo "$*" | tee -a "$OUT/table.txt"; }
left() { echo $((in_all - SECONDS)); }
# Runs a command with a limit in seconds, the call's own included, and says in the table how it ended and how long it
# took. Its exit code is the command's; 1 where there was no time left for it.
step() {
  local name="$1" limit="$2" start code
  shift 2
  [ "$(left)" -lt "$limit" ] && limit="$(left)"
  if [ "$limit" -lt 5 ]; then
    say "$name: not measured (no time left)"
    status=1
    return 1
  fi
  start="$(date +%s.%N)"
  timeout --kill-after=5 "$limit" "$@"
  code=$?
  local how="ok"
  [ $code -eq 0 ] || how="FAILED $code"
  [ $code -eq 124 ] || [ $code -eq 137 ] && how="ENDED after its $limit s"
  say "$(printf '%-22s %-8s %5.1f s' "$name" "$how" "$(echo "$(date +%s.%N) $start" | awk '{print $1 - $2}')")"
  [ $code -eq 0 ] || status=1
  return $code
}
held() { [ "$1" -eq 0 ] && echo held || echo 'NOT HELD'; }

run_promises() { step promises 200 node dist/gpu/done-when.js; }

run_tests() {
  local code gpus
  step tests 230 bash -o pipefail -c \
    'node --test --test-reporter=spec --test-concurrency=1 dist/gpu/*.test.js 2>&1 | tee "$OUT/tests.log"'
  code=$?
  count() { grep -oE "^. $1 [0-9]+" "$OUT/tests.log" | tail -n 1 | grep -oE '[0-9]+$' || echo '?'; }
  say "GPU tests failed: $(count fail) of $(count tests), $(count skipped) skipped (at most 0) $(held $code)"
  gpus="$(nvidia-smi --list-gpus 2> /dev/null | wc -l)"
  if [ "$gpus" -lt 2 ]; then
    say "Peer copies, peer access, multi-tensor copies on two GPUs: not measured (this machine has $gpus)"
  else
    say "Two-GPU tests failed: $(grep -cE '^ *✖ .*two GPUs' "$OUT/tests.log") (at most 0) $(held $code)"
    step 'peer matrix' 60 nvidia-smi topo -p2p r
  fi
}

run_records() {
  for case in pageable-same-stream pinned-same-stream pageable-side-stream pinned-side-stream; do
    copyscope run "assets/examples/overlap/$case.json" --engine cuda --iterations 15 --out "$OUT/runs/$case.arrow" --json \
      > "$OUT/runs/$case.json" || status=1
  done
  # One that this machine or engine can't run, as those for two GPUs, says so and is left out.
  grep -v '^#' bench/gpu/lesson-runs.txt | grep -E "${RECORDS:-.}" | while read -r id; do
    mkdir -p "$OUT/runs/$(dirname "$id")"
    copyscope run "assets/examples/$id.json" --engine cuda --iterations 5 --out "$OUT/runs/$id.arrow" --json \
      > "$OUT/runs/$id.json"
    # A race that brings wrong bytes ends with a code of its own, and is just what is wanted.
    [ -s "$OUT/runs/$id.arrow" ] || say "  not recorded: $id"
  done
  step copy-times 120 node dist/gpu/copy-times.js
  command -v python3 > /dev/null && python3 bench/gpu/pytorch_overlap.py "$OUT/pytorch.json" 2>&1 | tail -n 6
}

# The experiments that predictions are held against: a recorded run of each, small enough to keep.
run_corpus() {
  local made="$OUT/corpus-experiments" recorded=0 missing=0 file id
  node dist/gpu/writeCorpus.js "$made" || { status=1; return; }
  while read -r file; do
    id="${file#"$made"/}"; id="${id%.json}"
    if [ "$(left)" -lt 15 ]; then
      missing=$((missing + 1)); say "  not recorded: corpus/$id: no time left"
      continue
    fi
    mkdir -p "$OUT/runs/corpus/$(dirname "$id")"
    if copyscope run "$file" --engine cuda --out "$OUT/runs/corpus/$id.arrow" --json < /dev/null > /dev/null 2> "$OUT/corpus.err"; then
      recorded=$((recorded + 1))
    else
      missing=$((missing + 1)); say "  not recorded: corpus/$id: $(head -n 1 "$OUT/corpus.err")"
    fi
  done < <(find "$made" -name '*.json' | sort)
  say "corpus                 $recorded recorded, $missing not"
}

# Records experiments that nobody has looked at, by the seed $BLIND_SEED; bench/accuracy.ts judges predictions of them.
run_blind() { step blind 150 node dist/gpu/recordBlind.js "${BLIND_SEED:-20261120}" 140 < /dev/null; }

# Experiments and programs that need two GPUs. Programs of two ranks run on one GPU, too, without NCCL.
run_two() { step 'two GPUs' 70 node dist/gpu/recordBlind.js "${BLIND_SEED:-20261129}" 60 two-gpus < /dev/null; }
run_ranks() {
  local name
  step ranks 170 python3 bench/gpu/ranks/ranks.py "$OUT/ranks"
  step 'ranks, changed' 120 python3 bench/gpu/ranks/ranks.py "$OUT/ranks/changed" --changed
  for name in device_bound communication_bound slow_rank loader_rank offloaded accumulated; do
    step "record $name" 40 node dist/host/cli.js record --steps 6..11,18..23 --out "$OUT/ranks/$name.arrow" -- \
      python3 bench/gpu/ranks/ranks.py "$OUT/ranks/plain" --plain "$name"
  done
  step 'exposed communication' 60 python3 bench/gpu/ranks/exposed.py "$OUT/ranks" node dist/host/cli.js
}

# Records the same experiments twice with the host threads on processors of their own and twice where the scheduler puts
# them, in turn, in $OUT/noise.
run_noise() {
  local own turn
  for turn in 1 2; do
    for own in 1 0; do
      step "noise, own $own, $turn" 60 env OUT="$OUT/noise/own-$own-$turn" COPYSCOPE_OWN_PROCESSORS=$own \
        node dist/gpu/recordBlind.js "${BLIND_SEED:-20261120}" 50 < /dev/null
    done
  done
}

# A profile of this machine. It takes as long as it takes, and nothing is kept of one that isn't done in time.
run_calibrate() {
  step calibrate 240 bash -o pipefail -c \
    'node dist/host/cli.js calibrate --out "$OUT/profile.json" < /dev/null 2>&1 | tee "$OUT/calibrate.log"'
}

# Verdicts, their remedies and the gains that they predict: with the profile that ships, and from the same runs with the
# one that this call has calibrated, where it has.
run_gains() {
  step gains 150 node dist/gpu/gains.js --seconds "$(gains_seconds 140)"
  [ -f "$OUT/profile.json" ] || return
  step 'gains, calibrated' 60 node dist/gpu/gains.js --runs "$OUT/runs/gains" --profile "$OUT/profile.json" \
    --seconds "$(gains_seconds 50)"
}
# What is left, less what ending takes.
gains_seconds() { local most=$(($(left) - 10)); echo $((most < $1 ? (most > 1 ? most : 1) : $1)); }

run_bench() {
  step 'copyscope bench' 240 bash -o pipefail -c 'node dist/host/cli.js bench --quick 2>&1 | tee "$OUT/bench.txt"'
  step 'copies beside PyTorch' 200 node dist/gpu/beside-pytorch.js
  step submit-cost 60 node dist/gpu/submit-cost.js
  step copy-engine 200 node dist/gpu/copy-engine.js
  command -v python3 > /dev/null && step 'copies in PyTorch' 120 python3 bench/gpu/pytorch_copies.py
}

run_sweep() {
  step 'sweep of small tensors' 60 node dist/gpu/small-sweep.js
  step 'sweep of the ring' 60 node dist/gpu/ring-sweep.js
}

# The programs of 100 experiments in both languages, run beside the executor's own runs. Those that were compiled before
# (node dist/gpu/compilePrograms.js, where nvcc is) are taken from dist/gpu/programs.tar.xz.
run_code() { step 'programs' 345 node dist/gpu/codeRuns.js "${CODE_SEED:-20261130}" $(($(left) < 345 ? $(left) - 15 : 330)) "${CODE_COUNT:-100}"; }

# cuBLAS's and cuFFT's kernels against PyTorch's, and the prototypes that they are called by against the headers.
run_libraries() {
  step 'kernels of libraries' 150 node dist/gpu/libraryRuns.js
  # What first uses cost beside a busy device, and whether they wait for it.
  step 'first uses' 30 node dist/host/cli.js run bench/gpu/code/first-product.json --engine cuda --out "$OUT/first-product.arrow"
  if [ -z "${CUDA_MATH_INCLUDE:-}" ]; then
    say "Prototypes of cuBLAS and cuFFT: not measured (this machine has no headers of theirs)"
    return
  fi
  step 'prototypes' 60 g++ -std=c++17 -fsyntax-only -I native/src -I "$CUDA_MATH_INCLUDE" -I /usr/local/cuda/include \
    native/tests/math_headers.cpp
}

# Why programs with pageable memory take other times than the executor: where they run, and what their pages are.
run_placement() { step placement 120 bash bench/gpu/code/placement.sh; }

# Ten thousand runs, or as many as fit into the time that is left.
run_soak() { step soak 300 node dist/gpu/soak.js 10000 20261120 $(($(left) - 25)); }

# CUPTI can't be used under compute-sanitizer, so device times come from CUDA events; each operation is some hundred
# times as slow, so the set of tests is short.
run_sanitize() {
  local tool sanitizer code errors
  sanitizer="$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2> /dev/null | head -n 1)"
  for tool in memcheck racecheck; do
    if [ -z "$sanitizer" ]; then
      say "compute-sanitizer $tool: not measured (there is none on this machine; it comes with the CUDA toolkit)"
      continue
    fi
    step "compute-sanitizer $tool" 90 "$sanitizer" --tool "$tool" --error-exitcode 9 --target-processes all \
      --log-file "$OUT/$tool.log" node dist/gpu/sanitize.js
    code=$?
    errors="$(grep -hoE 'SUMMARY: [0-9]+' "$OUT/$tool.log" 2> /dev/null | awk '{sum += $2} END {print NR ? sum : "?"}')"
    say "compute-sanitizer $tool: $errors errors (at most 0) $(held $code)"
  done
}

. bench/gpu/code/math_libraries.sh
lay_math_links "$(mktemp -d)"
: > "$OUT/table.txt"
copyscope devices || status=1
sections=("$@")
[ $# -gt 0 ] && [ "$1" != all ] || sections=(promises tests sanitize soak)
[ "${1:-}" = all ] && sections+=(records corpus bench calibrate gains)
for section in "${sections[@]}"; do
  case "$section" in
    promises | tests | records | corpus | blind | noise | bench | soak | sanitize | calibrate | gains | sweep | code | \
      libraries | placement | two | ranks) "run_$section" ;;
    *) echo "There is no section $section."; exit 2 ;;
  esac
done

echo
cat "$OUT/table.txt"
exit "$status"
