#!/usr/bin/env bash
# The encoder's ways to compute, on this processor and on imitated ones: older x86-64 and ARM64. Needs clang, and of Debian
# qemu-user-static, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross. It says nothing about speed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
sources=("$root"/SystemLibraries/CEncoder/*.c "$root/Tests/Encoder/Ways.c")
include=(-I "$root/SystemLibraries/CEncoder/include" -I "$root/Tests/Encoder/include" -DALONE)

clang -O2 "${include[@]}" "${sources[@]}" -o "$place/ways" -lm -lpthread
echo "this processor:" && "$place/ways"
for processor in Haswell Nehalem core2duo; do
  echo "$processor:" && qemu-x86_64-static -cpu "$processor" "$place/ways" 2>"$place/warnings" || { cat "$place/warnings"; exit 1; }
done

for source in "${sources[@]}"; do
  clang --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -O2 "${include[@]}" -c "$source" \
    -o "$place/$(basename "$source").o"
done
aarch64-linux-gnu-gcc -static "$place"/*.o -o "$place/ways-arm64" -lm -lpthread
for processor in max cortex-a76 cortex-a53; do
  echo "$processor:" && qemu-aarch64-static -cpu "$processor" "$place/ways-arm64"
done
