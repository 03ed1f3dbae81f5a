#pragma once
#include <stddef.h>
#include <stdint.h>

// FFmpeg's libraries, where the system has them: they are found when the program runs, so that it neither needs nor carries
// them. Only what holds sound is opened, and only sound is decoded.

// Loads them, once, before a process seals itself. NULL when they can be used, otherwise why not.
const char *libera_ffmpeg_load(void);

// How a file is read. `read` returns the bytes read, 0 at the end, less where it fails; `seek` as lseek, with `size` for
// the size alone.
typedef struct {
  void *context;
  int (*read)(void *context, uint8_t *buffer, int count);
  int64_t (*seek)(void *context, int64_t offset, int whence);
} libera_sound_source;
enum { libera_seek_size = 0x10000 };

typedef struct libera_sound libera_sound;
// `container` is FFmpeg's name ("mov", "matroska", "aac", "amr"). NULL with the reason in `problem`.
libera_sound *libera_sound_open(
  const char *container, const libera_sound_source *source, char *problem, size_t size);
void libera_sound_close(libera_sound *sound);
// The next samples, all channels made one, until the next call; `rate` is theirs. Returns how many, 0 at the end.
int libera_sound_next(libera_sound *sound, const float **samples, int *rate);
// The packets that could not be decoded so far.
int64_t libera_sound_damaged(const libera_sound *sound);
