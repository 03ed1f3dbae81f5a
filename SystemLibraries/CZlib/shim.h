#pragma once
#include <zlib.h>

// A macro in zlib.h: 15 bits of window, and 16 for the form of gzip.
static inline int libera_gzip_begin(z_stream * stream) {
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}
