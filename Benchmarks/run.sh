#!/usr/bin/env bash
# Called by ./libera bench [NAME] with the engine's folder, the folder of llama.cpp's own programs (or nothing) and the Swift
# flags; what follows -- is the name and its options.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
engine=$1 peers=$2
shift 2
flags=()
while [[ ${1:-} != -- ]]; do
  flags+=("$1")
  shift
done
shift
name=${1:-engine}
[[ $# == 0 ]] || shift
cd "$root"
case $name in
engine)
  for product in bench-engine echo-worker; do swift build -c release --product $product "${flags[@]}" >&2; done
  exec python3 Benchmarks/engine.py --ours "$(swift build -c release --show-bin-path)/bench-engine" --peers "$peers" "$@"
  ;;
answers | unknown | injection | orders) # the program itself, as a person has it
  place=$(dirname "$engine")/bench-answers/python
  if [[ ! -x $place/bin/python ]]; then
    python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary=:all: \
      -r Benchmarks/answers.txt
  fi
  packs=${XDG_DATA_HOME:-$HOME/.local/share}/libera/packs
  script=Benchmarks/$name/bench.py
  [[ $name == unknown ]] && script=Benchmarks/answers/unknown.py
  [[ $name == orders ]] && script=Benchmarks/injection/made.py
  exec "$place/bin/python" "$script" --program "$root/.build/release/libera" --packs "$packs" "$@"
  ;;
clients) # other people's programs, those that the tests use
  place=$(dirname "$engine")/tests-Clients-$(sha256sum Tests/Clients/requirements.txt | cut -c1-16)
  if [[ ! -f $place/complete ]]; then
    python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary=:all: \
      -r Tests/Clients/requirements.txt && touch "$place/complete"
  fi
  cache=$(dirname "$engine")
  for packs in --defaults "whisper-tiny.en-q8_0 whisper-base-q8_0 silero-vad-6.2.0"; do
    # shellcheck disable=SC2086
    "$root/.build/release/libera" packs pull $packs --home "$cache/test-home" >&2
  done
  LIBERA_TEST_HOME=$cache/test-home exec "$place/bin/python" Benchmarks/clients/bench.py \
    --program "$root/.build/release/libera" "$@"
  ;;
governor)
  for product in bench-governor libera libera-worker; do
    swift build -c release --product $product "${flags[@]}" >&2
  done
  exec python3 Benchmarks/governor.py --programs "$(swift build -c release --show-bin-path)" --peers "$peers" "$@"
  ;;
speech | subtitles)
  # What it compares with and counts by comes from PyPI, the people's voices from Debian, both into the cache folder.
  cache=$(dirname "$engine") place=$(dirname "$engine")/bench-speech
  if [[ ! -x $place/bin/python ]]; then
    python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary=:all: \
      -r Benchmarks/speech.txt
  fi
  if [[ ! -d $place/prompts ]] && command -v apt-get >/dev/null; then
    (cd "$place" && apt-get download asterisk-core-sounds-en asterisk-core-sounds-en-wav >&2)
    for package in "$place"/*.deb; do dpkg-deb -x "$package" "$place/prompts"; done
  fi
  programs=$(swift build -c release --show-bin-path)
  "$programs/libera" packs pull whisper-base-q8_0 whisper-tiny.en-q8_0 whisper-base-f16 silero-vad-6.2.0 --home "$cache/test-home" >&2
  if [[ $name == subtitles ]]; then
    exec "$place/bin/python" Benchmarks/subtitles.py --program "$programs/libera" --packs "$cache/test-home/packs" "$@"
  fi
  exec "$place/bin/python" Benchmarks/speech.py --program "$programs/libera" --packs "$cache/test-home/packs" --moonshine \
    --prompts "$place/prompts" --whisper "$peers" --out Benchmarks/speech \
    --weights "$(ls "$cache"/test-home/packs/whisper-base-f16/weights-????????????.* | head -n 1)" "$@"
  ;;
commands)
  # `judge` trains on some sources and judges on the others, so that nothing is measured on what was learned from; what the tuned
  # encoder reads where it has not learned is taken from the folder that Training/tune.py wrote, if there is one. `sixty`, `spoken`
  # and `peers` go through the program itself; the voices are Debian's espeak-ng and flite.
  cache=$(dirname "$engine") place=$(dirname "$engine")/bench-commands
  part=${1:-all}
  [[ $# == 0 ]] || shift
  corpora=${LIBERA_CORPORA:-../shared/data/commands}
  swift build -c release "${flags[@]}" >&2
  programs=$(swift build -c release --show-bin-path)
  if [[ $part == judge || $part == all ]]; then
    readings=()
    [[ -f $cache/commands/readings-slurp.bin ]] && readings=(--readings "$cache/commands")
    "$programs/train-commands" "$corpora" Training "$(mktemp)" "${readings[@]}" "$@"
    "$programs/train-commands" --times "$corpora/../temporal"
  fi
  for measured in sixty spoken peers; do
    [[ $part == "$measured" || $part == all ]] || continue
    if [[ $measured == spoken ]] && ! { command -v espeak-ng && command -v flite; } >/dev/null; then
      echo "libera: bench commands spoken needs espeak-ng and flite (apt-get install espeak-ng flite)" >&2
      [[ $part == all ]] && continue
      exit 69
    fi
    if [[ ! -x $place/bin/python ]]; then
      python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary=:all: \
        -r Benchmarks/commands/requirements.txt
    fi
    "$programs/libera" packs pull all-minilm-l6-v2-f16 smollm2-135m-instruct-q4_1 whisper-base-q8_0 silero-vad-6.2.0 \
      --home "$cache/test-home" >&2
    "$place/bin/python" Benchmarks/commands/bench.py $measured --program "$programs/libera" \
      --packs "$cache/test-home/packs" "$@"
  done
  ;;
server)
  # A browser measures the page; Selenium, which drives it, comes from PyPI into the cache folder.
  cache=$(dirname "$engine") place=$(dirname "$engine")/bench-server
  if [[ ! -x $place/bin/python ]]; then
    python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary=:all: \
      -r Tests/Browser/requirements.txt
  fi
  swift build -c release "${flags[@]}" >&2
  programs=$(swift build -c release --show-bin-path)
  "$programs/libera" packs pull --defaults --home "$cache/test-home" >&2
  exec "$place/bin/python" Benchmarks/server/bench.py --program "$programs/libera" --packs "$cache/test-home/packs" \
    --out Benchmarks/server "$@"
  ;;
memory)
  # The peers come from PyPI into the cache folder.
  cache=$(dirname "$engine") place=$(dirname "$engine")/bench-memory
  if [[ ! -x $place/bin/python ]]; then
    python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary=:all: \
      -r Benchmarks/memory.txt
  fi
  swift build -c release "${flags[@]}" >&2
  programs=$(swift build -c release --show-bin-path)
  "$programs/libera" packs pull all-minilm-l6-v2-f16 --home "$cache/test-home" >&2
  exec "$place/bin/python" Benchmarks/memory.py --programs "$programs" --packs "$cache/test-home/packs" "$@"
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
