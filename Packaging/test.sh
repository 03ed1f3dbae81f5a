#!/usr/bin/env bash
# ./libera test-package: the packages as people meet them, in systems that have nothing of ours. Needs root, for chroot.
# test.sh CACHE PACKAGES SUITE...     as bookworm, trixie
#
# Each journey runs as an ordinary user without a network; only the making of the bare system needs one.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$1 packages=$2
shift 2
deb=$(ls "$packages"/libera_*_amd64.deb) tarball=$(ls "$packages"/libera-*-linux-x86_64.tar.gz)
bundle=$(ls "$packages"/libera-models-*.tar)
failed=0

# shellcheck source=cases.sh
. "$here/cases.sh"

bare() { # SUITE -> a tar file with that system
  local place=$cache/roots/$1-systemd.tar work
  if [[ ! -f $place ]]; then
    mkdir -p "$cache/roots"
    work=$(mktemp -d "$cache/roots/$1.XXXXXX")
    # A person's own systemd is added once the base stands: debootstrap by itself cannot set up its way in.
    { debootstrap --variant=minbase "$1" "$work/root" &&
      chroot "$work/root" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends systemd dbus-user-session &&
      chroot "$work/root" apt-get clean; } >"$place.log" 2>&1 || { tail "$place.log" >&2; return 1; }
    tar -C "$work/root" -cf "$place.part" . && mv "$place.part" "$place"
    rm -rf "$work"
  fi
  echo "$place"
}

inside() { # COMMAND...: as root, in the bare system, without a network
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child --net bash -c '
    root=$1; shift
    mount --make-rprivate / && mount --rbind "$root" "$root" && mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev" && mount --rbind /sys "$root/sys" && mount -t tmpfs -o mode=755 run "$root/run"
    mount -t tmpfs -o mode=1777 tmp "$root/tmp"
    exec chroot "$root" "$@"' bash "$root" "$@"
}
as() { # USER COMMAND...: as that user, who has set next to nothing
  local user=$1
  shift
  inside setpriv --reuid="$user" --regid="$user" --clear-groups --reset-env \
    env -i HOME="/home/$user" PATH=/usr/local/bin:/usr/bin:/bin "${settings[@]}" bash -c 'umask 077; exec "$@"' as "$@" </dev/null
}

expect() { # NAME PATTERN COMMAND...: what it prints holds the pattern, and it ends well
  local name=$1 pattern=$2 began=$SECONDS out
  shift 2
  if out=$("$@" 2>&1) && grep -qE "$pattern" <<<"$out"; then
    echo "  ok      $name ($((SECONDS - began)) s)"
  else
    echo "  FAILED  $name: expected \"$pattern\" from: $*"
    tail -n 20 <<<"$out" | sed 's/^/          /'
    failed=1
  fi
}
refuse() { # NAME PATTERN COMMAND...: it does not end well, and says why
  local name=$1 pattern=$2 out
  shift 2
  if ! out=$("$@" 2>&1) && grep -qE "$pattern" <<<"$out"; then
    echo "  ok      $name"
  else
    echo "  FAILED  $name: $out"
    failed=1
  fi
}

journeys() { # USER PROGRAM: what a person does first
  local user=$1 program=$2 kind
  expect "says its version" "^libera [0-9.]+" as "$user" "$program" version
  expect "knows whose work it stands on" "llama.cpp" as "$user" "$program" licences
  expect "says more of what goes wrong" "SHA256SUMS" as "$user" "$program" help bundle_refused
  refuse "without models says what to do" "packs|model" as "$user" "$program" packs smoke smollm2-135m-instruct-q4_1
  for kind in short absolute above link content; do
    refuse "a hostile bundle is refused ($kind)" "not taken|not the published" as "$user" "$program" packs install "/srv/$kind.tar"
  done
  expect "installs the models from the bundle" "verified" as "$user" "$program" packs install /srv/models.tar
  expect "answers in chat" "Paris" as "$user" bash -c "echo 'What is the capital of France?' | '$program' chat"
  expect "takes in a document" "1 (file|document)|imported|done" as "$user" "$program" import /srv/lease.md
  expect "answers from it" "850" as "$user" "$program" ask "How much is the rent?"
  expect "reads a PDF, draws its page and reads the words in the picture" "seven in the morning" as "$user" bash -c "
    cd && '$program' import /srv/ferry.pdf && id=\$('$program' search 'ferry to Skopelos' -k 1 --json | sed 's/.*\"id\":\"*\([^\",}]*\).*/\1/') &&
    '$program' open \"\$id\" --out page.png && '$program' import page.png --home ~/pictures >&2 &&
    '$program' search 'when does the ferry leave' --home ~/pictures"
  expect "hears speech" "country" as "$user" "$program" transcribe /srv/speech.wav
  expect "is sealed" "seal of the workers +sealed" as "$user" "$program" doctor
  for kind in x86-64 x86-64-v3; do
    settings+=("LIBERA_PROCESSOR=$kind")
    expect "answers in the form for $kind" "tokens at" as "$user" "$program" packs smoke smollm2-135m-instruct-q4_1
    unset "settings[-1]"
  done
}

try() { # SUITE
  local archive user
  echo "$1"
  archive=$(bare "$1")
  root=$(mktemp -d "$cache/roots/$1.XXXXXX")
  tar -C "$root" -xf "$archive"
  for user in ada bob; do chroot "$root" useradd --create-home "$user"; done
  cp "$deb" "$root/srv/libera.deb" && cp "$bundle" "$root/srv/models.tar"
  python3 "$here/samples.py" "$root/srv"
  tar xzOf "$cache/downloads/whisper" --wildcards '*/samples/jfk.wav' >"$root/srv/speech.wav"
  chmod -R a+rX "$root/srv"

  echo " the Debian package"
  settings=()
  expect "is installed without a network" "Setting up libera" inside apt-get install -y --no-install-recommends /srv/libera.deb
  journeys ada libera
  expect "has its unit, manual and completions" "libera.1.gz" inside dpkg -L libera
  places libera
  service
  expect "is removed" "Removing libera" inside apt-get remove -y libera
  expect "leaves nothing but the person's own" "^$" inside bash -c \
    'find / -xdev -iname "*libera*" -not -path "/home/*" -not -path "/srv/*" -not -path "/proc/*" -not -path "/var/*"; echo'

  echo " the tar file, in a folder with a space, with umask 077 and a locale that is not there"
  settings=()
  install -d -o 1001 -g 1001 -m 700 "$root/home/bob/my programs"
  cp "$tarball" "$root/srv/libera.tar.gz" && chmod a+r "$root/srv/libera.tar.gz"
  # By the person, whose files they then are.
  expect "is unpacked" "^$" as bob tar -C "/home/bob/my programs" -xzf /srv/libera.tar.gz
  settings=(LC_ALL=xx_YY.ISO-8859-1)
  journeys bob "/home/bob/my programs/$(basename "$tarball" .tar.gz)/bin/libera"
  upgrades bob "/home/bob/my programs/$(basename "$tarball" .tar.gz)"
  expect "is removed by itself" "Removed: " as bob "/home/bob/my programs/$(basename "$tarball" .tar.gz)/bin/libera" uninstall --yes
  rm -rf "$root"
}

for suite in "$@"; do try "$suite"; done
if ((failed)); then echo "Something failed."; else echo "All went well."; fi
exit "$failed"
