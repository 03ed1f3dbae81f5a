#!/usr/bin/env python3
"""Writes, beside the packages, the recipes by which other package managers install them: recipes.py VERSION FOLDER [ADDRESS]

Each names the files by their checksums, computed here of the files in FOLDER. ADDRESS is where whoever publishes them puts them; nobody
has said so yet, and then the recipes say so in their first lines.
"""
import hashlib
import sys
from pathlib import Path

NOWHERE = "https://example.invalid/libera"

CONTAINER = """# A container of the Debian package: podman build -f Containerfile . (in the folder with the .deb)
# It keeps its data in /data. Inside a container the kernel may refuse what seals each process: libera doctor says what is not sealed.
FROM debian:12-slim
COPY {deb} /tmp/libera.deb
RUN echo "{deb_sum}  /tmp/libera.deb" | sha256sum --check \\
  && apt-get update && apt-get install -y --no-install-recommends ca-certificates /tmp/libera.deb \\
  && rm -rf /tmp/libera.deb /var/lib/apt/lists/* \\
  && useradd --create-home --home-dir /data libera && chmod 700 /data
USER libera
VOLUME /data
WORKDIR /data
ENTRYPOINT ["/usr/bin/libera"]
CMD ["help"]
"""

HOMEBREW = """{comment}
class Libera < Formula
  desc "Private assistant that runs wholly on your own device"
  homepage "{address}"
  url "{address}/{tar}"
  version "{version}"
  sha256 "{tar_sum}"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    prefix.install Dir["*"]
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/libera version")
  end
end
"""

ARCH = """{comment}
pkgname=libera-bin
pkgver={version}
pkgrel=1
pkgdesc='Private assistant that runs wholly on your own device'
arch=('x86_64')
url='{address}'
license=('Apache-2.0')
depends=('glibc>=2.36' 'gcc-libs' 'ca-certificates')
options=('!strip')
source=("$url/{tar}")
sha256sums=('{tar_sum}')

package() {{
  cd "{folder}" || return 1
  install -d "$pkgdir/usr"
  cp -a bin lib share "$pkgdir/usr/"
}}
"""

NIX = """{comment}
{{ lib, stdenv, fetchurl, autoPatchelfHook }}:
stdenv.mkDerivation {{
  pname = "libera";
  version = "{version}";
  src = fetchurl {{
    url = "{address}/{tar}";
    sha256 = "{tar_sum}";
  }};
  nativeBuildInputs = [ autoPatchelfHook ];
  buildInputs = [ stdenv.cc.cc.lib ];
  dontStrip = true;
  installPhase = "mkdir $out && cp -a bin lib share $out/";
  meta = {{
    description = "Private assistant that runs wholly on your own device";
    license = lib.licenses.asl20;
    platforms = [ "x86_64-linux" ];
    mainProgram = "libera";
  }};
}}
"""


def main():
    version, out, address = sys.argv[1], Path(sys.argv[2]), (sys.argv[3:] or [""])[0] or NOWHERE
    deb, tar = f"libera_{version}_amd64.deb", f"libera-{version}-linux-x86_64.tar.gz"
    names = {"version": version, "address": address.rstrip("/"), "deb": deb, "tar": tar, "folder": tar.removesuffix(".tar.gz")}
    for name, file in (("deb_sum", deb), ("tar_sum", tar)):
        names[name] = hashlib.sha256((out / file).read_bytes()).hexdigest()
    names["comment"] = (
        f"# LiberaGPT {version}, as it was packed by ./libera package." if address != NOWHERE else
        "# The address is not set: whoever publishes the package makes this with LIBERA_ADDRESS.")
    for name, text in (("Containerfile", CONTAINER), ("libera.rb", HOMEBREW), ("PKGBUILD", ARCH), ("libera.nix", NIX)):
        (out / name).write_text(text.format(**names))


if __name__ == "__main__":
    main()
