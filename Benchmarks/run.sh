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
answers | injection) # the program itself, as a person has it
  packs=${XDG_DATA_HOME:-$HOME/.local/share}/libera/packs
  exec python3 "Benchmarks/$name/bench.py" --program "$root/.build/release/libera" --packs "$packs" "$@"
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
