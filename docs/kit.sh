#!/usr/bin/env bash
# The pages of LiberaKit as a web site in .build/kit-pages, from its doc comments and LiberaKit.docc, with Swift's own docc. Needs a
# debug build (swift build --product example-ask).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
eval "$(./libera env)"
build=$(swift build --show-bin-path)
flags=()
for module in SystemLibraries/*/module.modulemap "$build"/C{Linux,Vector,Encoder}.build/module.modulemap; do
  flags+=(-Xcc "-fmodule-map-file=$module")
done
for library in llama whisper sndfile sqlite3 tesseract lept libcmark-gfm libarchive libxml-2.0 libical libsodium libseccomp; do
  for flag in $(pkg-config --cflags-only-I "$library"); do flags+=(-Xcc "$flag"); done
done
for library in CLinux CVector CEncoder; do flags+=(-Xcc "-ISystemLibraries/$library/include"); done
rm -rf .build/kit-symbols .build/kit-pages
mkdir -p .build/kit-symbols
swift symbolgraph-extract -module-name LiberaKit -I "$build/Modules" "${flags[@]}" -minimum-access-level public \
  -target "$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' | head -n 1)" -output-dir .build/kit-symbols
docc convert Sources/LiberaKit/LiberaKit.docc --additional-symbol-graph-dir .build/kit-symbols --warnings-as-errors \
  --fallback-display-name LiberaKit --fallback-bundle-identifier libera.kit --output-path .build/kit-pages
echo "The pages are in .build/kit-pages; \"docc preview\" or any web server shows them."
