#pragma once
#include <alsa/asoundlib.h>

static inline void libera_alsa_say_nothing(const char *file, int line, const char *function, int code, const char *format, ...) {}

// By default the library writes its errors into the middle of what a person reads.
static inline void libera_alsa_quiet(void) { snd_lib_error_set_handler(libera_alsa_say_nothing); }

// Opens a device to hear through it. The definition, where there is one, is ALSA's configuration in place of the system's.
static inline int libera_alsa_open(snd_pcm_t **device, const char *name, const char *definition) {
  if (!definition) return snd_pcm_open(device, name, SND_PCM_STREAM_CAPTURE, 0);
  snd_config_t *root = NULL;
  snd_input_t *text = NULL;
  int code = snd_config_top(&root);
  if (code == 0) code = snd_input_buffer_open(&text, definition, -1);
  if (code == 0) code = snd_config_load(root, text);
  if (code == 0) code = snd_pcm_open_lconf(device, name, SND_PCM_STREAM_CAPTURE, 0, root);
  if (text) snd_input_close(text);
  if (root) snd_config_delete(root);
  return code;
}
