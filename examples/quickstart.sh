#!/bin/sh
# Build the library and replay three real GPU kernels: sh examples/quickstart.sh
# Installs what is missing where it may (see tests/setup.sh).
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM

want build
echo "Building the library in build/ ..."
# shellcheck disable=SC2086  # one word per option
if ! configure build $RELEASE >"$log" 2>&1 || ! compile build "$log" library; then
    cat "$log"
    exit 1
fi

export PYTHONPATH="$PWD/bindings/python${PYTHONPATH:+:$PYTHONPATH}"
echo "Real kernels of an NVIDIA H100, traced on that GPU, on the model of it; each starts with cold caches:"
set -- run examples/traces/nn examples/traces/conv2d examples/traces/atax --preset h100 --set kernels.flush=all
printf '$ python3 -m gpucache %s\n\n' "$*"
python3 -m gpucache "$@"
cat <<'TEXT'

Hit rates are shares of the 32-byte sectors (sect.) that loads asked of L1, and L1 and its bypasses of L2; DRAM
counts sectors read from and written to memory. examples/traces/hardware.json has what the GPU itself counted.

The same kernels with a clock:
TEXT
set -- "$@" --mode timed
printf '$ python3 -m gpucache %s\n\n' "$*"
python3 -m gpucache "$@"
cat <<'TEXT'

Try next, with PYTHONPATH=bindings/python:
  python3 -m gpucache run examples/traces/conv2d --preset a100              another GPU
  python3 -m gpucache run examples/traces/conv2d --preset gtx480 --set l1.replacement=fifo
  python3 -m gpucache run synthetic:transpose-naive:8MiB                    a generated kernel
  python3 -m gpucache bottleneck synthetic:warp-reuse --preset gtx480       what limits a kernel
  python3 -m gpucache config                                                every setting
  python3 -m gpucache policies                                              caching policies and warp schedulers
TEXT
