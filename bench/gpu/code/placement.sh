#!/usr/bin/env bash
# The four overlap cases as CUDA programs: as they are, held to one processor after another, and with large pages; beside the
# executor, with and without processors of its own. Lines of medians in milliseconds.
set -uo pipefail
folder="$(mktemp -d)"
say() { echo "$*" | tee -a "${OUT:-/tmp}/table.txt"; }
median() { grep -oE '^[0-9.]+ ms$' | sort -n | awk '{a[NR] = $1} END {print NR ? a[int((NR + 1) / 2)] : "-"}'; }
lscpu | grep -E 'Model name|NUMA|L3|L2' | sed 's/^/  /'
cat /sys/kernel/mm/transparent_hugepage/enabled
nvidia-smi topo -m 2> /dev/null | head -n 4
for case in pageable-same-stream pageable-side-stream pinned-same-stream pinned-side-stream; do
  base="$folder/$case"
  node dist/host/cli.js code "assets/examples/overlap/$case.json" --language cuda --out "$base.cu" > /dev/null 2>&1
  nvcc -std=c++17 -O3 -arch=native -o "$base" "$base.cu" || continue
  line="$case: plain"
  for _ in 1 2 3 4; do line="$line $("$base" | median)"; done
  line="$line | processors"
  for cpu in $(seq 0 2 $(($(nproc) - 1))); do line="$line $cpu:$(taskset -c "$cpu" "$base" | median)"; done
  line="$line | large pages $(GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$base" | median) $(GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$base" | median)"
  for own in 1 0; do
    for _ in 1 2; do
      COPYSCOPE_OWN_PROCESSORS=$own node dist/host/cli.js run "assets/examples/overlap/$case.json" --engine cuda \
        --iterations 15 --out "$base.$own.arrow" --json > "$base.json" 2> /dev/null
      line="$line | executor own=$own $(node -p "(JSON.parse(require('fs').readFileSync('$base.json', 'utf8')).iterations.plainWallNs.median / 1e6).toFixed(3)")"
      rm -f "$base.$own.arrow"
    done
  done
  say "$line"
done
