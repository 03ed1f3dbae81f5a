#!/usr/bin/env bash
# The work behind ./libera: each step is named, skipped when done, and repeatable when it failed.
# Called by ./libera with the checkout, the cache folder and the person's arguments.
set -euo pipefail
root=$1 cache=$2
shift 2
command=${1:-}
logs=$cache/logs downloads=$cache/downloads
stamp=$root/.build/libera.stamp
mends=${LIBERA_MENDS:-ON} # OFF: an engine as others published it, to see what our patches do, or whether a defect is theirs
mkdir -p "$logs" "$downloads"
chmod 700 "$cache"

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "libera: $1"
  [[ -n ${2:-} ]] && say "  $2"
  exit 1
}

# step NAME LOG COMMAND...: runs it with its output in a log; a failure shows the log's end and where it lies.
step() {
  local name=$1 log=$logs/$2.log began=$SECONDS
  shift 2
  printf '· %s … ' "$name" >&2
  if "$@" >"$log" 2>&1; then
    say "done ($((SECONDS - began)) s)"
  else
    say "failed"
    tail -n 15 "$log" >&2
    fail "\"$name\" failed; the whole log is in $log" "Mend what it names and run the same command again; finished steps are kept."
  fi
}

have() { command -v "$1" >/dev/null 2>&1; }
digest() { if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -c1-16; }
pin() { awk -v name="$1" '$1 == name { print $2, $3, $4, $5 }' "$root/Engine/pins"; }

fetch() { # PIN NAME -> the file in the downloads folder, verified
  local name version pattern hash
  read -r name version pattern hash <<<"$(pin "$1")"
  [[ -n ${hash:-} ]] || fail "no pinned file named $1 for this system" "See Engine/pins."
  python3 "$root/Engine/pypi.py" fetch "$name" "$version" "$pattern" "$hash" "$downloads/$1"
}

check_swift() {
  have swift || fail "no Swift toolchain was found" "Install Swift 6.1 or newer from swift.org, or with swiftly, and try again."
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  [[ $(printf '6.1\n%s\n' "${version:-0}" | sort -V | head -n 1) == 6.1 ]] ||
    fail "Swift ${version:-of unknown version} is too old" "Swift 6.1 or newer is needed: swift.org or swiftly."
}

# shellcheck source=packages.sh
. "$root/Engine/packages.sh"

gpu_backend() { # what computes on a card and is built into the engine itself, or nothing
  if [[ $(uname) == Darwin ]]; then
    echo METAL
  elif have nvidia-smi && have nvcc && nvidia-smi >/dev/null 2>&1; then
    echo CUDA
  fi
}

# The part for graphics cards by Vulkan is one library more, beside those of the engine, which stay what they are. It takes longer to
# build than all of them together: so only where it is asked for (LIBERA_GPU=vulkan), or where there are a card that computes and the
# tools for it; LIBERA_GPU=none never.
wants_card() {
  [[ $(uname) == Linux ]] || return 1
  case ${LIBERA_GPU:-} in
  vulkan) ;;
  none) return 1 ;;
  '') { [[ -e /dev/nvidiactl ]] || compgen -G '/dev/dri/renderD*' >/dev/null; } && have glslc &&
    [[ -f /usr/include/vulkan/vulkan.hpp && -f /usr/include/spirv/unified1/spirv.hpp ]] ;;
  *) fail "LIBERA_GPU is vulkan or none, not $LIBERA_GPU" ;;
  esac
}
card_key() { { cat "$root"/Engine/card/*.patch; glslc --version; } | digest; }
has_card() { [[ -f $engine/lib/libggml-vulkan.so && -f $engine/card && $(<"$engine/card") == "$(card_key)" ]]; }

# What both the engine and what it is compared with are made of: pins, recipe, compiler, GPU backend, this processor's features.
published_key() {
  {
    cat "$root"/Engine/pins "$root"/Engine/CMakeLists.txt
    c++ --version 2>/dev/null | head -n 1
    gpu_backend
    uname -sm
    grep -m 1 -E '^(flags|Features)' /proc/cpuinfo 2>/dev/null || sysctl -n machdep.cpu.brand_string
  } | digest
}
own_code() { # of a patch what it does; what it says of itself may be written anew without a new build
  local patch
  cat "$root"/Engine/libera-templates.h "$root"/Engine/*.c "$root"/Engine/*.cpp
  [[ $mends == ON ]] || return 0
  cat "$root"/Engine/*.h "$root"/Engine/mend.sh
  for patch in "$root"/Engine/patches/*.patch; do sed '1,/^---$/d' "$patch"; done
}
engine_key() { { published_key; own_code; } | digest; }

unpack() { # TARBALL FOLDER
  rm -rf "$2" && mkdir -p "$2" && tar xzf "$1" -C "$2" --strip-components=1
}

compile_engine() { # PREFIX BUILD-FOLDER TARGET EXTRA-OPTIONS...
  local prefix=$1 build=$2 target=$3 patch
  shift 3
  unpack "$downloads/llama" "$build/llama-source"
  unpack "$downloads/whisper" "$build/whisper-source"
  local llama=$build/llama-source/vendor/llama.cpp whisper=$build/whisper-source/whisper.cpp
  [[ $mends == OFF ]] || "$root/Engine/mend.sh" "$llama" "$whisper" || return 1
  for patch in ${patches:-}; do
    (cd "$llama" && GIT_DIR=/dev/null GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git apply "$patch") || return 1
  done
  # Assertions name the file they stand in, and no library needs to name this machine's folders.
  local nameless="-ffile-prefix-map=$build=engine"
  CFLAGS="${CFLAGS:-} $nameless" CXXFLAGS="${CXXFLAGS:-} $nameless" \
    cmake -G Ninja -S "$root/Engine" -B "$build/build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix" \
    "-DLLAMA_SOURCE=$llama" "-DWHISPER_SOURCE=$whisper" "-DLIBERA_MENDS=$mends" "$@"
  # shellcheck disable=SC2086
  cmake --build "$build/build" -- $target
}

build_engine() { # PREFIX
  local prefix=$1 build=$cache/build-engine backend
  backend=$(gpu_backend)
  rm -rf "$build" "$prefix.part"
  if [[ -z $backend ]] || ! compile_engine "$prefix" "$build" all "-DGGML_$backend=ON"; then
    [[ -z $backend ]] || echo "the $backend backend could not be built; the engine computes on the CPU" | tee "$build.gpu-reason"
    rm -rf "$build"
    backend=
    compile_engine "$prefix" "$build" all
  fi
  cmake --install "$build/build" --prefix "$prefix.part"
  echo "${backend:-CPU}" >"$prefix.part/backend"
  [[ ! -f $build.gpu-reason ]] || mv "$build.gpu-reason" "$prefix.part/backend-reason"
  sed -i.old "s|$prefix.part|$prefix|g" "$prefix.part"/lib/pkgconfig/*.pc && rm -f "$prefix.part"/lib/pkgconfig/*.old
  rm -rf "$prefix" "$build" && mv "$prefix.part" "$prefix"
}

build_card() {
  local build=$cache/build-card
  rm -rf "$build" "$engine/card"
  patches=$(ls "$root"/Engine/card/*.patch) compile_engine "$engine" "$build" ggml-vulkan -DGGML_VULKAN=ON -DGGML_BACKEND_DL=ON \
    -DGGML_NATIVE=OFF -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON || return 1
  install -m 644 "$(find "$build/build" -name libggml-vulkan.so -print -quit)" "$engine/lib/.libggml-vulkan.so"
  mv "$engine/lib/.libggml-vulkan.so" "$engine/lib/libggml-vulkan.so"
  card_key >"$engine/card"
  rm -rf "$build"
}

ensure_card() {
  ! wants_card || has_card || {
    fetch llama >/dev/null
    fetch whisper >/dev/null
    (step "The engine's part for graphics cards, by Vulkan (10 minutes and more)" card build_card)
  }
}

# Other people's own programs from the same source as published, for comparison; only the benchmarks ask for them.
build_published() { # PREFIX TARGETS EXTRA-OPTIONS...
  local prefix=$1 targets=$2 part=$1.part
  shift 2
  rm -rf "$part"
  mends=OFF compile_engine "$prefix" "$part" "$targets" -DLIBERA_PEERS=ON -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON "$@"
  [[ -z $(find "$part" -name 'libera-*.h') ]] || { echo "its source was mended"; return 1; }
  rm -rf "$part/llama-source" "$part/whisper-source" "$prefix" && mv "$part" "$prefix"
}
ensure_peers() {
  peers=$cache/peers-$(published_key)
  fetch llama >/dev/null
  fetch whisper >/dev/null
  [[ -d $peers ]] || step "llama.cpp's own programs, to compare with (about 6 minutes)" peers \
    build_published "$peers" "llama-server llama-bench"
}

ensure_whisper_cli() { # sets peers to the program
  local place=$cache/published-whisper-cli-$(published_key)
  fetch llama >/dev/null
  fetch whisper >/dev/null
  [[ -d $place ]] || step "whisper.cpp's own program, to compare with (about 2 minutes)" whisper-cli \
    build_published "$place" whisper-cli -DWHISPER_BUILD_EXAMPLES=ON
  peers=$(find "$place" -name whisper-cli -type f | head -n 1)
}

install_pdfium() { # PREFIX
  local prefix=$1 member=libpdfium.so
  [[ $(uname) == Darwin ]] && member=libpdfium.dylib
  rm -rf "$prefix.part" && mkdir -p "$prefix.part/lib/pkgconfig"
  python3 - "$downloads/$(pdfium_pin)" "$prefix.part" "$member" <<'PYTHON'
import sys, zipfile
wheel, prefix, member = zipfile.ZipFile(sys.argv[1]), sys.argv[2], sys.argv[3]
found = [name for name in wheel.namelist() if name.endswith("/" + member)]
open(f"{prefix}/lib/{member}", "wb").write(wheel.read(found[0]))
with open(f"{prefix}/LICENSES", "w") as out:
    for name in sorted(wheel.namelist()):
        if "/licenses/" in name.lower():
            out.write(f"==== {name.rsplit('/', 1)[-1]}\n{wheel.read(name).decode(errors='replace')}\n")
PYTHON
  printf 'Name: pdfium\nDescription: PDF\nVersion: 0\nLibs: -L%s/lib -lpdfium\n' "$prefix" >"$prefix.part/lib/pkgconfig/pdfium.pc"
  rm -rf "$prefix" && mv "$prefix.part" "$prefix"
}
pdfium_pin() { echo "pdfium-$(uname | tr '[:upper:]' '[:lower:]')-$(uname -m)"; }

locate() {
  engine=$cache/engine-$(engine_key)
  [[ $mends == ON ]] || engine=$cache/engine-unmended-$(engine_key)
  pdfium=$cache/pdfium-$(pin "$(pdfium_pin)" | digest)
  export PKG_CONFIG_PATH=$engine/lib/pkgconfig:$pdfium/lib/pkgconfig LIBERA_MENDS=$mends
  swift_flags=(-Xlinker -rpath -Xlinker "$engine/lib" -Xlinker -rpath -Xlinker "$pdfium/lib")
  # All addresses are looked up at the start, so that the table of them can be read-only afterwards.
  [[ $(uname) != Linux ]] || swift_flags+=(-Xlinker -z -Xlinker now)
}

# The engine is built in the background and gives way to what is asked for beside it, which takes longer. Ctrl-C ends both.
engine_beside() { # COMMAND
  local engines failed=0
  set -m
  build_engine "$engine" >"$logs/engine.log" 2>&1 &
  engines=$! && set +m
  renice -n 10 -p "$engines" >/dev/null 2>&1 || :
  trap 'kill -- "-$engines"; exit 130' INT TERM
  "$1" || failed=1
  wait "$engines" || { cat "$logs/engine.log"; failed=1; }
  trap - INT TERM && return "$failed"
}

setup() { # everything but the Swift build, or [COMMAND] as well, which needs no engine and is run beside the engine's build
  local beside=${1:-}
  check_swift
  locate_if_possible
  if [[ ! -d ${engine:-/nonexistent} ]]; then
    say "Setting up LiberaGPT. On two cores this takes 8 to 20 minutes and downloads about 100 MB of sources and"
    say "libraries and 180 MB of models. Nothing is written outside the package manager's places, $cache and the data folder."
  fi
  ensure_packages
  if have flock; then # a second checkout waits instead of building the same thing beside it
    exec 9>"$cache/setup.lock"
    flock 9
  fi
  locate
  if [[ ! -d $pdfium ]]; then
    step "PDFium (4 MB)" fetch-pdfium fetch "$(pdfium_pin)"
    step "PDFium's library" pdfium install_pdfium "$pdfium"
  fi
  # The program itself asks no Python where packages are listed.
  [[ -s $root/Packs/index ]] || python3 "$root/Engine/pypi.py" index "$root/Packs/index"
  if [[ ! -d $engine ]]; then
    step "Source of llama.cpp (77 MB)" fetch-llama fetch llama
    step "Source of whisper.cpp (10 MB)" fetch-whisper fetch whisper
    if [[ -z $beside ]]; then
      step "Engines llama.cpp and whisper.cpp, for this processor (3 to 7 minutes)" engine build_engine "$engine"
    else
      step "Engines llama.cpp and whisper.cpp, for this processor, and beside them LiberaGPT itself (8 to 16 minutes)" \
        engine-and-program engine_beside "$beside"
    fi
    [[ ! -f $engine/backend-reason ]] || say "  $(<"$engine/backend-reason")"
  fi
  if ! ensure_card; then
    [[ ${LIBERA_GPU:-} != vulkan ]] || exit 1
    say "  no graphics card is used; LIBERA_GPU=none does not try again"
  fi
  if have flock; then exec 9>&-; fi
}
locate_if_possible() { if have c++ && have python3; then locate; fi; }

# The program links no engine, only its worker does. And it keeps one core busy more than two: most of its rooms wait for others.
build_program() { (cd "$root" && swift build -c release --product libera "${swift_flags[@]}"); }

build() {
  setup build_program
  mkdir -p "$root/.build"
  local began=$root/.build/libera.began
  touch "$began"
  cd "$root"
  step "LiberaGPT itself, release build (4 to 10 minutes the first time)" build build_program
  step "Its sealed worker" build-worker swift build -c release --product libera-worker "${swift_flags[@]}"
  echo "$engine" >"$stamp"
  touch -r "$began" "$stamp"
}

default_packs() { # the small chat pack and the embedder: without them there is nothing to talk to
  "$root/.build/release/libera" packs pull --defaults
}

[[ $mends == ON || $mends == OFF ]] || fail "LIBERA_MENDS is ON or OFF, not $mends"
lint() { (cd "$root" && swift format lint --strict --recursive --parallel Apps Sources Tests Package.swift); }

case $command in
env) # for contributors: eval "$(./libera env)"; then swift build "${LIBERA_FLAGS[@]}"
  setup
  printf 'export PKG_CONFIG_PATH=%q LIBERA_ENGINE=%q LIBERA_MENDS=%q\nLIBERA_FLAGS=(' "$PKG_CONFIG_PATH" "$engine" "$mends"
  printf ' %q' "${swift_flags[@]}"
  printf ' )\n'
  ;;
setup)
  build
  default_packs
  say "Ready. ./libera chat starts a conversation; ./libera help shows everything."
  ;;
build) build ;;
lint) lint ;;
soak) # everything at once for hours; what grows is a leak
  shift
  build
  LIBERA_TEST_HOME=${LIBERA_TEST_HOME:-$cache/test-home} exec python3 "$root/Tests/Soak/soak.py" "$@"
  ;;
test)
  shift
  setup
  ensure_test_packages
  cd "$root"
  step "Format" lint lint
  exec bash "$root/Tests/run.sh" "$cache" "$engine" "${swift_flags[@]}" -- "$@"
  ;;
package) # what people install; Packaging/README.md
  shift
  # shellcheck source=../Packaging/package.sh
  . "$root/Packaging/package.sh"
  package "$@"
  ;;
test-package) # the packages as people meet them, in systems that have nothing of ours
  shift
  # shellcheck source=../Packaging/package.sh
  . "$root/Packaging/package.sh"
  test_package "$@"
  ;;
fuzz)
  shift
  setup
  cd "$root"
  step "The worker" build-worker swift build -c release --product libera-worker "${swift_flags[@]}"
  step "The fuzzer" build-fuzz swift build -c release --product fuzz "${swift_flags[@]}"
  exec "$root/.build/release/fuzz" "$@"
  ;;
bench)
  shift
  build
  default_packs
  case ${1:-engine} in
  engine | governor) ensure_peers ;;
  speech) ensure_whisper_cli ;;
  esac
  exec bash "$root/Benchmarks/run.sh" "$engine" "${peers:-}" "${swift_flags[@]}" -- "$@"
  ;;
*)
  build
  [[ $command == packs || $command == help || $command == version ]] || default_packs
  exec "$root/.build/release/libera" "$@"
  ;;
esac
