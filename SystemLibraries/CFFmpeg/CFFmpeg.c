#include "CFFmpeg.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FFmpeg's functions and the few fields of its structures that are read here. Its headers are not used: the program is built
// once and meets several versions. What is read stands at the same place in all of them but for `codecpar` of a stream.

enum { MEDIA_AUDIO = 1, END_OF_FILE = -0x20464F45, MOST_STREAMS = 1000, MOST_CHANNELS = 8, BUFFER = 1 << 16 };
enum { AGAIN = -EAGAIN, EMPTY = 0 };

typedef struct {
  int order;
  int channels;
  uint64_t mask;
  void *opaque;
} ChannelLayout;

typedef int (*Reader)(void *, uint8_t *, int);
typedef int64_t (*Seeker)(void *, int64_t, int);

#define FUNCTIONS(X) \
  X(void *, avformat_alloc_context, (void)) \
  X(int, avformat_open_input, (void **, const char *, const void *, void **)) \
  X(void, avformat_close_input, (void **)) \
  X(const void *, av_find_input_format, (const char *)) \
  X(int, av_read_frame, (void *, void *)) \
  X(void *, avio_alloc_context, (unsigned char *, int, int, void *, Reader, void *, Seeker)) \
  X(void, avio_context_free, (void **)) \
  X(const void *, avcodec_find_decoder, (int)) \
  X(void *, avcodec_alloc_context3, (const void *)) \
  X(void, avcodec_free_context, (void **)) \
  X(int, avcodec_parameters_to_context, (void *, const void *)) \
  X(int, avcodec_open2, (void *, const void *, void **)) \
  X(int, avcodec_send_packet, (void *, const void *)) \
  X(int, avcodec_receive_frame, (void *, void *)) \
  X(void *, av_packet_alloc, (void)) \
  X(void, av_packet_unref, (void *)) \
  X(void, av_packet_free, (void **)) \
  X(void *, av_frame_alloc, (void)) \
  X(void, av_frame_unref, (void *)) \
  X(void, av_frame_free, (void **)) \
  X(void *, av_malloc, (size_t)) \
  X(void, av_free, (void *)) \
  X(void, av_max_alloc, (size_t)) \
  X(void, av_log_set_level, (int)) \
  X(int, av_dict_set, (void **, const char *, const char *, int)) \
  X(void, av_dict_free, (void **)) \
  X(int, av_opt_get_int, (void *, const char *, int, int64_t *)) \
  X(int, av_opt_get_chlayout, (void *, const char *, int, ChannelLayout *)) \
  X(void, av_channel_layout_uninit, (ChannelLayout *)) \
  X(int, av_strerror, (int, char *, size_t))

#define DECLARE(result, name, arguments) result(*name) arguments;
static struct {
  FUNCTIONS(DECLARE)
  size_t parameters;  // of a stream: where its codec's parameters stand
  size_t index;       // and its number
} av;

static char reason[300];
static int is_usable;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The version of libavformat, which the others follow: FFmpeg 5.1 (Debian 12), 6 (Ubuntu 24.04), 7 (Debian 13).
  static const struct { const char *name; size_t parameters, index; } known[] = {
    {"libavformat.so.61", 16, 8}, {"libavformat.so.60", 16, 8}, {"libavformat.so.59", 208, 0}};
  void *library = NULL;
  const char *named = getenv("LIBERA_AVFORMAT");  // tests take them away with it
  for (size_t i = 0; i < sizeof known / sizeof *known && !library; i++) {
    if (named && strcmp(named, known[i].name) != 0) continue;
    library = dlopen(known[i].name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *told = dlerror();
      // Of several that are absent nothing is told; one that is there and cannot be loaded is.
      if (told && !strstr(told, "No such file")) snprintf(reason, sizeof reason, "%s", told);
      continue;
    }
    av.parameters = known[i].parameters;
    av.index = known[i].index;
  }
  if (!library) return;
#define FIND(result, name, arguments) \
  if (!(av.name = (result(*) arguments)dlsym(library, #name))) { \
    snprintf(reason, sizeof reason, "%s is not in them", #name); \
    return; \
  }
  FUNCTIONS(FIND)
  av.av_log_set_level(-8);
  av.av_max_alloc(256 << 20);
  reason[0] = 0;
  is_usable = 1;
}

const char *libera_ffmpeg_load(void) {
  pthread_once(&once, load);
  return is_usable ? NULL : reason[0] ? reason : "they are not installed";
}

struct libera_sound {
  libera_sound_source source;
  void *input, *output, *file, *packet, *frame;
  int stream, is_over;
  int64_t damaged;
  float *samples;
  size_t room;
};

static int read_source(void *opaque, uint8_t *buffer, int count) {
  libera_sound *sound = opaque;
  int got = sound->source.read(sound->source.context, buffer, count);
  return got > 0 ? got : END_OF_FILE;
}

static int64_t seek_source(void *opaque, int64_t offset, int whence) {
  libera_sound *sound = opaque;
  return sound->source.seek(sound->source.context, offset, whence & ~0x20000);
}

#define FIELD(type, structure, offset) (*(type *)((char *)(structure) + (offset)))

// Decoders of sound that people's files have; by name, so that no library of others comes in by the way.
static int is_wanted(const char *name) {
  static const char *names[] = {
    "aac", "alac", "amrnb", "amrwb", "flac", "libopus", "mp3", "mp3float", "opus", "pcm_alaw", "pcm_f32le", "pcm_mulaw",
    "pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_s24le", "pcm_s32le", "pcm_u8", "vorbis"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

// The first stream of sound that can be decoded.
static const char *choose(libera_sound *sound) {
  unsigned count = FIELD(unsigned, sound->input, 44);
  void **streams = FIELD(void **, sound->input, 48);
  const char *problem = "there is no sound in it";
  for (unsigned i = 0; i < count && i < MOST_STREAMS; i++) {
    void *stream = streams[i];
    if (FIELD(int, stream, av.index) != (int)i) return "FFmpeg's libraries are of an unknown version";
    void *parameters = FIELD(void *, stream, av.parameters);
    if (FIELD(int, parameters, 0) != MEDIA_AUDIO) continue;
    const void *decoder = av.avcodec_find_decoder(FIELD(int, parameters, 4));
    if (!decoder || !is_wanted(*(const char *const *)decoder)) {
      problem = "its sound is in a form that is not read";
      continue;
    }
    void *output = av.avcodec_alloc_context3(decoder), *options = NULL;
    av.av_dict_set(&options, "threads", "1", 0);
    if (output && av.avcodec_parameters_to_context(output, parameters) >= 0
        && av.avcodec_open2(output, decoder, &options) >= 0) {
      av.av_dict_free(&options);
      sound->output = output;
      sound->stream = (int)i;
      return NULL;
    }
    av.av_dict_free(&options);
    av.avcodec_free_context(&output);
    problem = "its sound is described in a way that makes no sense";
  }
  return problem;
}

libera_sound *libera_sound_open(
  const char *container, const libera_sound_source *source, char *problem, size_t size) {
  const char *unusable = libera_ffmpeg_load();
  libera_sound *sound = unusable ? NULL : calloc(1, sizeof *sound);
  if (!sound) {
    snprintf(problem, size, "%s", unusable ? unusable : "there is no memory");
    return NULL;
  }
  sound->source = *source;
  sound->packet = av.av_packet_alloc();
  sound->frame = av.av_frame_alloc();
  unsigned char *buffer = av.av_malloc(BUFFER);
  sound->file = buffer ? av.avio_alloc_context(buffer, BUFFER, 0, sound, read_source, NULL, seek_source) : NULL;
  if (buffer && !sound->file) av.av_free(buffer);
  const void *format = av.av_find_input_format(container);
  sound->input = av.avformat_alloc_context();
  const char *why = "there is no memory";
  char told[200];
  if (sound->packet && sound->frame && sound->file && sound->input && format) {
    FIELD(void *, sound->input, 32) = sound->file;
    void *options = NULL;
    // No parsers: those of pictures would run over packets that nobody wants. A file names no other files.
    av.av_dict_set(&options, "fflags", "noparse+nofillin", 0);
    av.av_dict_set(&options, "protocol_whitelist", "none", 0);
    int opened = av.avformat_open_input(&sound->input, "", format, &options);
    av.av_dict_free(&options);
    if (opened >= 0) {
      why = choose(sound);
    } else {
      why = av.av_strerror(opened, told, sizeof told) >= 0 ? told : "FFmpeg does not say why";
    }
  }
  if (!why) return sound;
  snprintf(problem, size, "%s", why);
  libera_sound_close(sound);
  return NULL;
}

void libera_sound_close(libera_sound *sound) {
  if (!sound) return;
  if (sound->output) av.avcodec_free_context(&sound->output);
  if (sound->input) av.avformat_close_input(&sound->input);
  if (sound->file) {
    av.av_free(FIELD(void *, sound->file, 8));  // its buffer, which may be another by now
    av.avio_context_free(&sound->file);
  }
  if (sound->packet) av.av_packet_free(&sound->packet);
  if (sound->frame) av.av_frame_free(&sound->frame);
  free(sound->samples);
  free(sound);
}

// Reads one packet into the decoder; whatever ends the file ends the sound.
static void feed(libera_sound *sound) {
  if (av.av_read_frame(sound->input, sound->packet) < 0) {
    sound->is_over = 1;
    av.avcodec_send_packet(sound->output, NULL);
    return;
  }
  if (FIELD(int, sound->packet, 36) == sound->stream && av.avcodec_send_packet(sound->output, sound->packet) < 0)
    sound->damaged++;
  av.av_packet_unref(sound->packet);
}

static float value(const uint8_t *plane, int kind, size_t at) {
  switch (kind) {
  case 0: return ((float)plane[at] - 128) / 128;
  case 1: return (float)((const int16_t *)plane)[at] / 32768;
  case 2: return (float)((const int32_t *)plane)[at] / 2147483648.0f;
  case 3: return ((const float *)plane)[at];
  default: return (float)((const double *)plane)[at];
  }
}

// The frame's channels made one; 0 where it is not what its codec says.
static int mix(libera_sound *sound) {
  static const size_t widths[] = {1, 2, 4, 4, 8};
  int count = FIELD(int, sound->frame, 112), format = FIELD(int, sound->frame, 116);
  int bytes = FIELD(int, sound->frame, 64), is_planar = format >= 5, kind = format % 5;
  ChannelLayout layout = {0};
  if (format < 0 || format > 9 || count <= 0 || count > 1 << 20 || bytes <= 0) return 0;
  if (av.av_opt_get_chlayout(sound->output, "ch_layout", 0, &layout) < 0) return 0;
  int channels = layout.channels;
  av.av_channel_layout_uninit(&layout);
  if (channels < 1 || channels > MOST_CHANNELS) return 0;
  size_t needed = (size_t)count * widths[kind] * (is_planar ? 1 : (size_t)channels);
  if (needed > (size_t)bytes) return 0;
  const uint8_t *planes[MOST_CHANNELS];
  memcpy(planes, sound->frame, sizeof planes);
  for (int channel = 0; channel < (is_planar ? channels : 1); channel++)
    if (!planes[channel]) return 0;
  if ((size_t)count > sound->room) {
    float *more = realloc(sound->samples, (size_t)count * sizeof *more);
    if (!more) return 0;
    sound->samples = more;
    sound->room = (size_t)count;
  }
  for (int i = 0; i < count; i++) {
    float sum = 0;
    for (int channel = 0; channel < channels; channel++)
      sum += is_planar ? value(planes[channel], kind, (size_t)i)
                       : value(planes[0], kind, (size_t)i * (size_t)channels + (size_t)channel);
    sum /= (float)channels;
    sound->samples[i] = !isfinite(sum) ? 0 : sum > 1 ? 1 : sum < -1 ? -1 : sum;
  }
  return count;
}

int libera_sound_next(libera_sound *sound, const float **samples, int *rate) {
  for (;;) {
    int received = av.avcodec_receive_frame(sound->output, sound->frame);
    if (received >= 0) {
      int count = mix(sound);
      av.av_frame_unref(sound->frame);
      int64_t told = 0;
      if (count <= 0 || av.av_opt_get_int(sound->output, "ar", 0, &told) < 0 || told < 1000 || told > 768000) {
        sound->damaged++;
        continue;
      }
      *samples = sound->samples;
      *rate = (int)told;
      return count;
    }
    if (received == END_OF_FILE || sound->is_over) return 0;
    if (received != AGAIN) sound->damaged++;
    feed(sound);
  }
}

int64_t libera_sound_damaged(const libera_sound *sound) { return sound->damaged; }
