#!/usr/bin/env bash
# Called by ./libera bench [NAME] with the engine's folder, the folder of llama.cpp's own programs (or nothing), the name and
# its options.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
engine=$1 peers=$2
shift 2
name=${1:-engine}
[[ $# == 0 ]] || shift
cd "$root"
flags=(-Xlinker -rpath -Xlinker "$engine/lib")
case $name in
engine)
  swift build -c release --product bench-engine "${flags[@]}" >&2
  exec python3 Benchmarks/engine.py --ours "$(swift build -c release --show-bin-path)/bench-engine" --peers "$peers" "$@"
  ;;
governor)
  for product in bench-governor libera libera-worker; do
    swift build -c release --product $product "${flags[@]}" >&2
  done
  exec python3 Benchmarks/governor.py --programs "$(swift build -c release --show-bin-path)" --peers "$peers" "$@"
  ;;
*)
  [[ -d Benchmarks/$name ]] || {
    echo "libera: no benchmark named $name; there are: $(cd Benchmarks && ls -d */ | tr -d / | tr '\n' ' ')" >&2
    exit 64
  }
  swift build -c release --product "bench-$name" "${flags[@]}" >&2
  exec "$(swift build -c release --show-bin-path)/bench-$name" "$@"
  ;;
esac
