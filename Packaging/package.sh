#!/usr/bin/env bash
# ./libera package: what people install. Read by Engine/setup.sh, whose functions it uses.
# shellcheck source=engine.sh
. "$root/Packaging/engine.sh"

package_version() { sed -n 's/.*current = "\(.*\)"/\1/p' "$root/Sources/Core/Version.swift"; }

ensure_tools() {
  local missing
  missing=$(comm -23 <(printf '%s\n' binutils patchelf | sort) <(installed_packages) | tr '\n' ' ')
  # shellcheck disable=SC2086
  [[ -z ${missing// /} ]] || step "Packages that only packaging uses: $missing" package-tools install_packages $missing
}

ensure_portable() { # sets portable
  portable=$cache/portable-$(portable_key)
  exec 8>"$cache/portable.lock"
  flock 8
  if [[ ! -d $portable ]]; then
    fetch llama >/dev/null
    fetch whisper >/dev/null
    step "Engines for every x86-64 processor (about 5 minutes)" portable build_portable "$portable"
  fi
  exec 8>&-
}

# In a folder of its own: Swift's own libraries are linked in here, and the everyday build is not disturbed.
build_programs() {
  local product
  cd "$root"
  for product in libera libera-worker; do
    swift build -c release --scratch-path "$root/.build/package" --static-swift-stdlib --product "$product" \
      -Xswiftc -file-prefix-map -Xswiftc "$root=." -Xcc "-ffile-prefix-map=$root=." "${swift_flags[@]}" -Xlinker --build-id=none
  done
}

lay_out() { # WORK TREE VERSION EPOCH
  local work=$1 tree=$2 toolchain part
  toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
  mkdir -p "$work/licences"
  for part in llama.cpp whisper.cpp; do
    tar xzOf "$downloads/${part%.cpp}" --wildcards "*/$part/LICENSE" >"$work/licences/$part"
  done
  python3 "$root/Packaging/tree.py" "$root" "$root/.build/package/release" "$portable" "$pdfium" "$toolchain" \
    "$work/licences" "$3" "$4" "$tree"
  # By the public half the installed program holds every later version to the same publisher.
  if [[ -n ${LIBERA_SIGNING_KEY:-} ]]; then
    install -m 644 "$work/publisher.pub" "$tree/lib/libera/publisher.pub"
  fi
}

# The default packs, the one that finds in more languages and those for speech: fetched once by the packaged program, into a home of their own.
bundle_models() { # TREE OUT EPOCH
  local home=$cache/bundle-home packs
  "$1/bin/libera" packs pull --defaults --home "$home"
  "$1/bin/libera" packs pull use-multilingual-3-q6 whisper-base-q8_0 silero-vad-6.2.0 --home "$home"
  mapfile -t packs < <("$1/bin/libera" packs list --json --home "$home" | python3 -c '
import json, sys
for line in sys.stdin:
    status = json.loads(line)
    if status["installed"]: print(status["id"] if "id" in status else status["pack"]["id"])')
  python3 "$root/Packaging/archive.py" bundle "$home" "$2" "$3" "${packs[@]}"
}

package() { # [--out FOLDER] [--models]
  local out=$root/.build/packages models= version epoch work name
  while (($#)); do
    case $1 in
    --out) mkdir -p "$2" && out=$(cd "$2" && pwd) && shift ;;
    --models) models=yes ;;
    *) fail "packages are not made with \"$1\"" "./libera package [--out FOLDER] [--models]" ;;
    esac
    shift
  done
  [[ $(uname -sm) == "Linux x86_64" ]] || fail "packages are made on Linux on x86-64" "Here ./libera builds the program for this machine."
  have dpkg-deb || fail "packages are made on Debian" "Debian 12, so that they start on everything newer."
  setup
  ensure_tools
  [[ -z ${LIBERA_SIGNING_KEY:-} ]] || have minisign || step "minisign, which signs the checksums" minisign install_packages minisign
  ensure_portable
  version=$(package_version)
  epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
  name=libera-$version-linux-x86_64
  work=$root/.build/packaging
  mkdir -p "$work" "$out"
  # Before the steps, whose words go to a log: a key with a password asks for it on the terminal.
  if [[ -n ${LIBERA_SIGNING_KEY:-} ]]; then
    rm -f "$work/publisher.pub"
    minisign -R -s "$LIBERA_SIGNING_KEY" -p "$work/publisher.pub" >&2
  fi
  step "The programs, with Swift's own libraries linked in (about 5 minutes)" package-programs build_programs
  step "What is installed" package-tree lay_out "$work" "$work/$name" "$version" "$epoch"
  step "$name.tar.gz" package-tar python3 "$root/Packaging/archive.py" tree "$work/$name" "$out/$name.tar.gz" "$epoch"
  step "libera_${version}_amd64.deb" package-deb \
    python3 "$root/Packaging/debian.py" "$work/$name" "$version" "$epoch" "$work/deb" "$out/libera_${version}_amd64.deb"
  if [[ -n $models ]]; then
    step "libera-models-$version.tar" package-models bundle_models "$work/$name" "$out/libera-models-$version.tar" "$epoch"
  fi
  cp "$work/$name/lib/libera/sbom.json" "$out/libera-$version.cdx.json"
  python3 "$root/Packaging/recipes.py" "$version" "$out" "${LIBERA_ADDRESS:-}"
  sums "$out"
  say "Made in $out:"
  (cd "$out" && ls -l) >&2
}

# Checksums of all that is in a folder, and a signature over them where a key is given.
sums() { # FOLDER
  (
    cd "$1"
    rm -f SHA256SUMS SHA256SUMS.minisig
    # shellcheck disable=SC2035
    LC_ALL=C sha256sum -- $(ls | grep -E '\.(tar\.gz|deb|tar|json|rb|nix)$|^(Containerfile|PKGBUILD)$') >SHA256SUMS
  )
  if [[ -z ${LIBERA_SIGNING_KEY:-} ]]; then
    say "  not signed: LIBERA_SIGNING_KEY names no key of minisign"
    return
  fi
  # The password is asked for on the terminal; a key without one (minisign -G -W) asks nothing.
  minisign -S -s "$LIBERA_SIGNING_KEY" -m "$1/SHA256SUMS" -t "LiberaGPT $(package_version)" >&2
}

test_package() { # SUITE...
  local packages=${LIBERA_PACKAGES:-$root/.build/packages}
  if [[ $(id -u) != 0 ]]; then
    say "skipped: the installed packages are tested in bare systems, which only root can make"
    return
  fi
  have debootstrap || step "debootstrap, which makes bare systems" debootstrap install_packages debootstrap
  have minisign || step "minisign, which signs the checksums" minisign install_packages minisign
  compgen -G "$packages/libera-models-*.tar" >/dev/null || package --out "$packages" --models
  bash "$root/Packaging/test.sh" "$cache" "$packages" "${@:-bookworm}"
}
