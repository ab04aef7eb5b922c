#!/usr/bin/env bash
# Runs every GPU test and benchmark and records the four cases, on a machine with an NVIDIA GPU. Prints a short table last.
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
: > "$OUT/table.txt"
node dist/host/cli.js devices || status=1
node --test --test-reporter=spec --test-concurrency=1 dist/gpu/*.test.js 2>&1 | tee "$OUT/tests.log"
[ "${PIPESTATUS[0]}" -eq 0 ] || status=1

for case in pageable-same-stream pinned-same-stream pageable-side-stream pinned-side-stream; do
  node dist/host/cli.js run "assets/examples/overlap/$case.json" --engine cuda --iterations 15 --out "$OUT/runs/$case.arrow" --json \
    > "$OUT/runs/$case.json" || status=1
done
node dist/gpu/copy-times.js || status=1
command -v python3 > /dev/null && python3 test/gpu/pytorch_overlap.py "$OUT/pytorch.json" 2>&1 | tail -n 6

echo
cat "$OUT/table.txt"
exit "$status"
