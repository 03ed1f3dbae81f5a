#pragma once
#include <alsa/asoundlib.h>

static inline void libera_alsa_say_nothing(const char *file, int line, const char *function, int code, const char *format, ...) {}

// By default the library writes its errors into the middle of what a person reads.
static inline void libera_alsa_quiet(void) { snd_lib_error_set_handler(libera_alsa_say_nothing); }

// Macros, which Swift does not see.
static inline snd_pcm_stream_t libera_alsa_capture(void) { return SND_PCM_STREAM_CAPTURE; }
