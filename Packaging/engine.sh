#!/usr/bin/env bash
# The engine for processors other than this one. Read by Engine/setup.sh, whose functions it uses.
#
# Only the part of ggml that computes is compiled for a processor; everything else is for every one anyway and comes from the engine
# that ./libera has made. That part is compiled three times: for every x86-64 processor, and for those that can do more. The program
# names the best that the processor can run when it starts a worker (Workers/Shipped.swift).

# What Workers/Shipped.swift asks of a processor for each of these must be all that they are compiled for.
plain="-DGGML_NATIVE=OFF -DGGML_SSE42=OFF -DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_BMI2=OFF -DGGML_FMA=OFF -DGGML_F16C=OFF"
v3="-DGGML_NATIVE=OFF -DGGML_SSE42=ON -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_BMI2=ON -DGGML_FMA=ON -DGGML_F16C=ON"
v4_vnni="$v3 -DGGML_AVX512=ON -DGGML_AVX512_VNNI=ON"

# The part for graphics cards is the same for every processor; it comes along where it was built and LIBERA_GPU does not say none.
packs_card() { [[ ${LIBERA_GPU:-} != none && -f $engine/card && -f $engine/lib/libggml-vulkan.so ]]; }

portable_key() {
  {
    cat "$root"/Engine/pins "$root"/Engine/CMakeLists.txt "$root"/Packaging/engine.sh
    own_code
    c++ --version | head -n 1
    if packs_card; then cat "$engine/card"; fi
  } | digest
}

build_portable() { # PREFIX
  local prefix=$1 build=$cache/build-portable form
  # A backend that is linked in asks for a library of its own, which not everybody has.
  [[ $(<"$engine/backend") == CPU ]] || { echo "the engine here is built for a GPU: make packages where there is none"; return 1; }
  rm -rf "$prefix.part"
  mkdir -p "$prefix.part"
  cp -a "$engine/lib" "$prefix.part/lib"
  rm "$prefix.part"/lib/libggml-cpu.so*
  packs_card || rm -f "$prefix.part/lib/libggml-vulkan.so"
  for form in plain v3 v4_vnni; do
    rm -rf "$build"
    # shellcheck disable=SC2086
    compile_engine "$prefix" "$build" ggml-cpu ${!form}
    mkdir -p "$prefix.part/forms/$form"
    cp "$(readlink -f "$(find "$build/build" -name 'libggml-cpu.so' -print -quit)")" "$prefix.part/forms/$form/libggml-cpu.so.0"
  done
  mv "$prefix.part/forms/plain/libggml-cpu.so.0" "$prefix.part/lib/" && rmdir "$prefix.part/forms/plain"
  mv "$prefix.part/forms/v3" "$prefix.part/forms/x86-64-v3"
  mv "$prefix.part/forms/v4_vnni" "$prefix.part/forms/x86-64-v4-vnni"
  rm -rf "$prefix" "$build" && mv "$prefix.part" "$prefix"
}
