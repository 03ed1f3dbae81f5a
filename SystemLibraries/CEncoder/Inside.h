// What the ways to compute (bfloat16, eight bits) share.
#pragma once
#include <stdatomic.h>

#include "CEncoder.h"

/// A matrix as a way to compute wants it. For eight bits each row of outputs has its scale, and its sum with and without that.
typedef struct {
  void *panels;
  float *bias, *scales, *sums;
  int32_t *wholes;
} matrix;

typedef struct {
  matrix qkv, out, up, down;
  float *first_scale, *first_shift, *second_scale, *second_shift;
} layer;

typedef struct way way;

struct cencoder {
  cencoder_shape shape;
  const way *way;
  const char *words;
  cencoder_type words_type;
  float *positions, *start_scale, *start_shift;
  layer *layers;
  char *memory;
};

typedef struct {
  const cencoder *encoder;
  const int32_t *tokens;
  const size_t *starts, *groups;
  size_t count, tokens_at_once, longest;
  float *vectors;
  bool (*stop)(const void *);
  const void *context;
  atomic_size_t next;
  atomic_int end;
} work;

/// One way to compute: what it needs of a processor, and its loops.
struct way {
  const char *name;
  bool (*runs)(void);
  bool (*fits)(const cencoder_shape *);
  size_t bytes_each_weight;
  void (*pack)(matrix *, size_t output, const float *row, size_t inputs);
  /// Bytes that one thread works in.
  size_t (*desk)(const work *);
  bool (*encode)(const work *, char *desk, size_t from, size_t to);
  /// Products of whole numbers alone, to test them; NULL where there are none.
  void (*multiply)(const uint8_t *values, size_t rows, const int8_t *weights, size_t inputs, size_t outputs, int32_t *sums);
};

typedef struct {
  char *memory;
  size_t used;
} arena;

/// Without memory it only counts.
static inline void *take(arena *from, size_t bytes) {
  void *place = from->memory ? from->memory + from->used : NULL;
  from->used += (bytes + 63) / 64 * 64;
  return place;
}

static inline size_t up_to(size_t count, size_t step) { return (count + step - 1) / step * step; }

/// Words and positions of some texts, row after row.
void cencoder_begin(const work *, size_t from, size_t to, float *values);
/// The means of the last layer's rows.
void cencoder_keep(const work *, size_t from, size_t to, const float *values);

#if defined(__x86_64__)
extern const way cencoder_bf16, cencoder_avx512vnni, cencoder_avxvnni, cencoder_avx512vl, cencoder_avx2;
/// Whether this processor, which has both, multiplies bfloat16 so slowly that eight bits are faster.
bool cencoder_bf16_lags(void);
#elif defined(__aarch64__)
extern const way cencoder_i8mm, cencoder_dotprod;
#endif
extern const way cencoder_plain;
