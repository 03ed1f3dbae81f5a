#!/usr/bin/env bash
# What the system's package manager is asked for. Read by Engine/setup.sh, whose functions it uses.
debian="cmake ninja-build g++ git pkg-config python3 python3-pip python3-venv util-linux libsqlite3-dev libseccomp-dev
  libmicrohttpd-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libtesseract-dev libleptonica-dev tesseract-ocr-eng
  tesseract-ocr-deu tesseract-ocr-fra tesseract-ocr-osd libarchive-dev libxml2-dev libsodium-dev zlib1g-dev
  libasound2-dev libcurl4-openssl-dev libedit-dev libsndfile1-dev libical-dev"
homebrew="cmake ninja pkg-config python sqlite libmicrohttpd cmark-gfm tesseract leptonica libarchive libxml2
  libsodium curl libsndfile libedit libical" # not yet tried
# For the part for graphics cards.
card_tools="libvulkan-dev glslc spirv-headers"

missing_packages() {
  if [[ $(uname) == Darwin ]]; then
    have brew || fail "Homebrew is needed on macOS" "See brew.sh."
    comm -23 <(tr -s ' \n' '\n' <<<"$homebrew" | sort) <(brew list -1 | sort)
  else
    local wanted=$debian
    [[ ${LIBERA_GPU:-} != vulkan ]] || wanted+=" $card_tools"
    comm -23 <(tr -s ' \n' '\n' <<<"$wanted" | sed '/^$/d' | sort) \
      <(installed_packages)
  fi
}
installed_packages() {
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" { print $1 }' | sort
}

install_packages() { # PACKAGES...
  if [[ $(uname) == Darwin ]]; then
    brew install "$@"
  else
    local run=()
    [[ $(id -u) == 0 ]] || run=(sudo -n)
    "${run[@]}" apt-get update
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
  fi
}

# What only the tests use. Where these cannot be installed the tests that need them are skipped, and say so.
ensure_test_packages() {
  local missing
  if [[ $(uname) == Darwin ]] || ! have apt-get; then return 0; fi
  [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null || return 0
  missing=$(comm -23 <(printf '%s\n' chromium chromium-driver dbus-daemon ffmpeg firefox-esr fonts-dejavu-core \
    fonts-noto-core | sort) <(installed_packages) | tr '\n' ' ')
  # shellcheck disable=SC2086
  [[ -z ${missing// /} ]] || (step "Packages that only the tests use: $missing" test-packages install_packages $missing) ||
    say "  the tests that need them are skipped"
}

ensure_packages() {
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  [[ -n ${missing// /} ]] || return 0
  if [[ $(uname) != Darwin ]]; then
    have apt-get || fail "this system has no apt-get" "Install what corresponds to: $missing"
    [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null ||
      fail "system packages are missing and neither root nor password-less sudo is at hand; run this, then try again:" \
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing"
  fi
  # shellcheck disable=SC2086
  step "System packages: $missing" packages install_packages $missing
}
