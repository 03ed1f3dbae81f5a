#!/usr/bin/env bash
# What test.sh tries beside the first journey: another version in the program's place, and places where people are. Read by test.sh.

# A later version, published and signed: this one's programs behind a script that gives another number.
publish_next() { # -> $root/srv/next, and the tree's own publisher's key in $work/key.pub
  local name lib voice tree
  work=$(mktemp -d "$cache/roots/next.XXXXXX")
  tar -C "$work" -xzf "$tarball"
  name=$(basename "$tarball" .tar.gz)
  next=9.9.9
  tree=$work/libera-$next-linux-x86_64
  mv "$work/$name" "$tree"
  lib=$tree/lib/libera
  mv "$lib/libera" "$lib/libera.real"
  voice=$("$lib/libera.real" version --json | sed "s/\"version\":\"[^\"]*\"/\"version\":\"$next\"/")
  printf '#!/bin/sh\nif [ "$1" = version ]; then echo '\''%s'\''; exit; fi\nexec "$(dirname "$(readlink -f "$0")")/libera.real" "$@"\n' \
    "$voice" >"$lib/libera"
  chmod 755 "$lib/libera"
  python3 - "$lib/sbom.json" "$next" <<'PYTHON'
import json, sys
path, version = sys.argv[1:]
whole = json.load(open(path))
whole["metadata"]["component"]["version"] = version
json.dump(whole, open(path, "w"))
PYTHON
  mkdir -p "$root/srv/next"
  tar -C "$work" --format=gnu -I 'gzip -1' -cf "$root/srv/next/$(basename "$tree").tar.gz" "$(basename "$tree")"
  (cd "$root/srv/next" && sha256sum -- *.tar.gz >SHA256SUMS)
  minisign -G -W -f -p "$work/key.pub" -s "$work/key" >/dev/null
  minisign -G -W -f -p "$work/other.pub" -s "$work/other" >/dev/null
  minisign -S -s "$work/key" -m "$root/srv/next/SHA256SUMS" -t "LiberaGPT $next" >/dev/null
  cp -a "$root/srv/next" "$root/srv/forged"
  minisign -S -s "$work/other" -m "$root/srv/forged/SHA256SUMS" -t "LiberaGPT $next" >/dev/null
  chmod -R a+rX "$root/srv"
}

upgrades() { # USER TREE: there and back
  local user=$1 tree=$2 program=$2/bin/libera file
  publish_next
  file=libera-$next-linux-x86_64.tar.gz
  # As a package that was made with a publisher's key has it.
  install -m 644 "$work/key.pub" "$root$tree/lib/libera/publisher.pub"
  expect "looks at another version" "which is newer" as "$user" "$program" upgrade --check "/srv/next/$file"
  refuse "somebody else's signature is refused" "was signed with the key" as "$user" "$program" upgrade --yes "/srv/forged/$file"
  expect "is still this version" "^libera $(package_version_of "$tarball")" as "$user" "$program" version
  expect "puts it in place" "is in place of" as "$user" "$program" upgrade --yes "/srv/next/$file"
  expect "is that version" "$next" as "$user" "$program" version
  expect "answers in it" "850" as "$user" bash -c "echo 'How much is the rent?' | '$program' chat"
  expect "returns to the one before" "is in place of $next" as "$user" "$program" upgrade --back --yes
  expect "is this version again" "^libera $(package_version_of "$tarball")" as "$user" "$program" version
  expect "and answers" "850" as "$user" bash -c "echo 'How much is the rent?' | '$program' chat"
  rm -rf "$work" "$root/srv/next" "$root/srv/forged"
}
package_version_of() { basename "$1" | sed 's/^libera-\(.*\)-linux.*/\1/'; }

# A group of processes with little memory and few processes, as `systemd-run --user -p MemoryMax=1G -p TasksMax=100` makes one.
group=
make_group() {
  local folder
  for folder in /sys/fs/cgroup /sys/fs/cgroup/memory; do
    mkdir "$folder/libera-package-test" 2>/dev/null || continue
    group=$folder/libera-package-test
    if [[ -w $group/memory.max ]]; then echo 1G >"$group/memory.max" && break; fi
    if [[ -w $group/memory.limit_in_bytes ]]; then echo 1G >"$group/memory.limit_in_bytes" && break; fi
    rmdir "$group" && group=
  done
  [[ -n $group ]]
}
limited() { # USER COMMAND...: with few open files too
  (echo "$BASHPID" >"$group/cgroup.procs" && ulimit -n 256 && as "$@")
}

places() { # PROGRAM: as a person of their own, with models in a home on another file system
  local program=$1 home
  echo " places: a home on another file system, few resources, a locale without UTF-8, a kernel that seals nothing"
  chroot "$root" useradd --create-home carl
  home=$root/home/carl
  mount -t tmpfs -o "mode=700,uid=$(chroot "$root" id -u carl),gid=$(chroot "$root" id -g carl),size=1G" carl "$home"
  # Once: it would be done again when whoever called this returns.
  trap 'umount "$home"; trap - RETURN' RETURN
  settings=()
  expect "installs the models on another file system" "verified" as carl "$program" packs install /srv/models.tar
  expect "answers there" "Paris" as carl bash -c "echo 'What is the capital of France?' | '$program' chat"
  settings=(LC_ALL=C)
  expect "takes in words that the locale has no letters for" "1 (file|document)|imported|done" as carl "$program" import /srv/lease.md
  expect "and prints them" "850" as carl "$program" ask "How much is the rent?"
  settings=()
  if make_group; then
    expect "answers with a gigabyte of memory and 256 open files" "850" \
      limited carl bash -c "echo 'How much is the rent?' | '$program' chat"
    rmdir "$group"
  else
    echo "  skipped a limit on memory: no group of processes can be made here"
  fi
  # As under a container's rules that forbid both.
  cc -static -O1 -o "$root/srv/unsealable" "$here/../Tests/Shims/unsealable.c"
  expect "says that nothing is sealed, and why" "not sealed: .*(Landlock|seccomp)" as carl /srv/unsealable "$program" doctor
  expect "and answers all the same" "850" \
    as carl bash -c "echo 'How much is the rent?' | /srv/unsealable '$program' chat"
}

# As a person's own systemd runs it, from every login on.
service() {
  local id folder groups=() script=$root/srv/service.sh
  chroot "$root" useradd --create-home dora
  id=$(chroot "$root" id -u dora)
  for folder in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
    [[ -f $folder/cgroup.procs ]] && mkdir "$folder/libera-service-test" 2>/dev/null || continue
    chown -R "$id:$id" "$folder/libera-service-test"
    groups+=("$folder/libera-service-test")
  done
  if ((${#groups[@]} == 0)); then
    echo "  skipped the service: no group of processes can be made here"
    return
  fi
  cat >"$script" <<'SERVICE'
set -e
libera packs install /srv/models.tar >&2
/lib/systemd/systemd --user & sleep 4
export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
runs() { # within half a minute, as another process than $1
  local tries id
  for tries in {1..30}; do
    id=$(systemctl --user show -p MainPID --value libera)
    [ "$id" = 0 ] || [ "$id" = "$1" ] || { echo "$id"; return; }
    sleep 1
  done
  return 1
}
systemctl --user enable --now libera >&2
first=$(runs 0)
echo 'What is the capital of France?' | systemd-run --user --wait --pipe -p MemoryMax=1G -p TasksMax=100 libera chat | grep Paris
kill -9 "$first"
second=$(runs "$first")
kill "$second" # as who restores a backup or puts another version in place ends it
runs "$second"
systemctl --user disable --now libera >&2
[ "$(systemctl --user is-active libera)" = inactive ]
systemctl --user exit
echo "all of it"
SERVICE
  expect "is kept running by a person's own systemd, begins again when killed, answers under its limits" "all of it" serviced
  for folder in "${groups[@]}"; do find "$folder" -depth -type d -exec rmdir {} + || true; done
}
serviced() ( # in the groups that the person may divide
  for folder in "${groups[@]}"; do echo "$BASHPID" >"$folder/cgroup.procs"; done
  # shellcheck disable=SC2016
  inside bash -c '
    install -d -o "$1" -g "$1" -m 700 "/run/user/$1" && install -d /run/systemd/system
    exec setpriv --reuid="$1" --regid="$1" --clear-groups env -i HOME=/home/dora PATH=/usr/bin:/bin XDG_RUNTIME_DIR="/run/user/$1" \
      bash /srv/service.sh' service "$id"
)
