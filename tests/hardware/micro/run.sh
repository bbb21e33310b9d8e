#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds and runs the micro-benchmarks of this folder on the GPU of this machine, with CUDA and Nsight Compute, and writes
# their results and counters to a folder. sh run.sh FOLDER [PROGRAM...]
# METRICS=FILE names another list of counters.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
programs=${*:-"energy latency scattered scatter widths footprint partly window hot slices sets lines banks reuse stores bursts reads sharing \
    atomics copies launches bfs"}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.draw --format=csv >"$out/gpu.csv"
ncu --query-metrics | sed 's/ .*//' | grep -E '^[a-z0-9]+__' | sort -u >"$out/metrics-of-the-gpu.txt"
grep -v '^#' "${METRICS:-$here/metrics.txt}" | sed 's/.*/^(&)$/' >"$build/wanted"
stalls=$(grep '^smsp__average_warp_latency_issue_stalled_[a-z_]*$' "$out/metrics-of-the-gpu.txt" | sed 's/$/.ratio/' | paste -sd, -)
# Clock counters tell .max of an SM's cycles; all else is added up.
metrics=$(grep -E -f "$build/wanted" "$out/metrics-of-the-gpu.txt" | sed 's/$/.sum/; s/cycles_elapsed.sum/cycles_elapsed.max/' | paste -sd, -)
# profile NAME CACHES METRICS [ARGUMENT...]: the program's launches, with caches flushed before each (all) or as they are (none);
# the GPU's clocks stay as they are.
profile() {
    name=$1 caches=$2 asked=$3
    shift 3
    timeout 120 ncu --clock-control none --cache-control "$caches" --csv --page raw --print-units base --metrics "$asked" \
        --log-file "$out/$name.csv" "$build/$program" "$@" >"$out/$name.profiled.txt" 2>&1 ||
        echo "$name: the profiler failed" >>"$out/$program.txt"
}

for program in $programs; do
    nvcc -O3 -arch=sm_90 -std=c++17 -o "$build/$program" "$here/$program.cu" -ldl &
done
wait
for program in $programs; do
    graph=
    if [ "$program" = bfs ]; then # needs the traces
        python3 "$here/graph.py" "$build/graph" >"$out/bfs.txt" 2>&1 || continue
        graph=$build/graph
    fi
    "$build/$program" ${graph:+"$graph"} >"$out/$program.txt" 2>&1 || echo "$program: failed" >>"$out/$program.txt"
    case $program in
    energy | latency | scattered | scatter | widths | footprint | partly | window | hot | slices | sets | banks) continue ;;
    esac
    profile "$program" all "$metrics" ${graph:+"$graph"}
    case $program in
    launches | bfs) # what warps wait for; and with their data in L2
        profile "$program-stalls" all "$stalls" ${graph:+"$graph"}
        profile "$program-warm" none sm__cycles_elapsed.max,sm__cycles_active.sum "${graph:-warm}" warm
        ;;
    esac
done
