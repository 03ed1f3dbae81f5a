#!/usr/bin/env bash
# Makes of fresh sources of llama.cpp and whisper.cpp what the engine is built of: every patch of Engine/patches, in their order, and
# beside ggml's the files of ours that they include. A patch that no longer fits ends it, and is named.
#   Engine/mend.sh LLAMA WHISPER
set -euo pipefail
engine=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
llama=$1 whisper=$2

# As the files have them, whatever a person's own settings say. Without a repository: one around the source (a home folder may be one)
# would be what the patch means, and everything outside it be left out without a word.
apply() { # FOLDER OPTIONS... PATCH
  local folder=$1
  shift
  (cd "$folder" && GIT_DIR=/dev/null GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git apply --whitespace=nowarn "$@")
}

for header in "$engine"/*.h; do
  name=$(basename "$header")
  [[ $name == libera-* ]] || cp "$header" "$llama/ggml/src/ggml-cpu/libera-$name"
done

for patch in "$engine"/patches/[0-9]*.patch; do
  case $(sed -n 's/^Of: *//p' "$patch") in
  llama.cpp) folder=$llama ;;
  whisper.cpp) folder=$whisper ;;
  *) echo "$patch does not say what it is a patch of" >&2 && exit 1 ;;
  esac
  if ! apply "$folder" --check "$patch"; then
    echo "$patch does not fit $folder: CONTRIBUTING.md says how to raise a pin" >&2
    exit 1
  fi
  apply "$folder" "$patch"
  echo "applied $(basename "$patch")"
done
