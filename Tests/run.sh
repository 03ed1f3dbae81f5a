#!/usr/bin/env bash
# Runs every test. Called by ./libera test with the engine's folder and the Swift flags; what follows -- goes to swift test.
set -euo pipefail
engine=$1
shift
flags=()
while [[ ${1:-} != -- ]]; do
  flags+=("$1")
  shift
done
shift
export LIBERA_ENGINE=$engine
swift build --build-tests -Xswiftc -warnings-as-errors "${flags[@]}"
exec swift test --skip-build "${flags[@]}" "$@"
