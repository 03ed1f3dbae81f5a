#include "CEncoder.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include "Products.h"

typedef struct {
  half *qkv, *out, *up, *down;
  float *qkv_bias, *out_bias, *up_bias, *down_bias, *first_scale, *first_shift, *second_scale, *second_shift;
} layer;

struct cencoder {
  cencoder_shape shape;
  const char *words;
  cencoder_type words_type;
  float *positions, *start_scale, *start_shift;
  layer *layers;
  char *memory;
};

bool cencoder_works(void) {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static size_t up_to(size_t count, size_t step) { return (count + step - 1) / step * step; }

// MARK: Weights

typedef struct {
  char *memory;
  size_t used;
} arena;

/// Without memory it only counts.
static void *take(arena *from, size_t bytes) {
  void *place = from->memory ? from->memory + from->used : NULL;
  from->used += up_to(bytes, 64);
  return place;
}

static void place(cencoder *encoder, arena *from) {
  size_t width = encoder->shape.width, inner = encoder->shape.inner;
  encoder->positions = take(from, encoder->shape.positions * width * sizeof(float));
  encoder->start_scale = take(from, width * sizeof(float));
  encoder->start_shift = take(from, width * sizeof(float));
  for (size_t i = 0; i < encoder->shape.layers; i++) {
    encoder->layers[i] = (layer){
        .qkv = take(from, 3 * width * width * sizeof(half)),
        .out = take(from, width * width * sizeof(half)),
        .up = take(from, inner * width * sizeof(half)),
        .down = take(from, inner * width * sizeof(half)),
        .qkv_bias = take(from, 3 * width * sizeof(float)),
        .out_bias = take(from, width * sizeof(float)),
        .up_bias = take(from, inner * sizeof(float)),
        .down_bias = take(from, width * sizeof(float)),
        .first_scale = take(from, width * sizeof(float)),
        .first_shift = take(from, width * sizeof(float)),
        .second_scale = take(from, width * sizeof(float)),
        .second_shift = take(from, width * sizeof(float)),
    };
  }
}

cencoder *cencoder_new(cencoder_shape shape) {
  bool fits = shape.heads > 0 && shape.width % (shape.heads * 32) == 0 && shape.width / shape.heads <= COLUMNS &&
              shape.width % COLUMNS == 0 && shape.inner % COLUMNS == 0 && shape.layers > 0 && shape.layers <= 64 &&
              shape.width <= 4096 && shape.inner <= 16384 && shape.positions > 0 && shape.positions <= 16384;
  if (!fits || !cencoder_works()) return NULL;
  cencoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  encoder->shape = shape;
  encoder->layers = calloc(shape.layers, sizeof(layer));
  if (encoder->layers) {
    arena counted = {0};
    place(encoder, &counted);
    encoder->memory = aligned_alloc(64, counted.used);
  }
  if (!encoder->memory) {
    cencoder_free(encoder);
    return NULL;
  }
  arena real = {.memory = encoder->memory};
  place(encoder, &real);
  return encoder;
}

void cencoder_free(cencoder *encoder) {
  if (!encoder) return;
  free(encoder->memory);
  free(encoder->layers);
  free(encoder);
}

static size_t bytes_each(cencoder_type type) { return type == CENCODER_F32 ? 4 : 2; }

/// `count` is a multiple of 16.
WIDE static void widen(const void *values, cencoder_type type, size_t count, float *wide) {
  for (size_t i = 0; i < count; i += 16) {
    __m512 sixteen;
    if (type == CENCODER_F32)
      sixteen = _mm512_loadu_ps((const char *)values + 4 * i);
    else {
      __m256i narrow = _mm256_loadu_si256((const void *)((const char *)values + 2 * i));
      sixteen = type == CENCODER_F16
                    ? _mm512_cvtph_ps(narrow)
                    : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(narrow), 16));
    }
    _mm512_storeu_ps(wide + i, sixteen);
  }
}

WIDE static void narrow(const float *wide, size_t count, half *values) {
  for (size_t i = 0; i < count; i += 16)
    _mm256_storeu_si256((void *)(values + i), (__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(wide + i)));
}

/// Rows of outputs become panels of 64 outputs; in a panel two inputs of each output lie side by side, then the next two.
static void pack(half *panels, size_t first, const void *values, cencoder_type type, size_t rows, size_t inputs,
                 float scale) {
  float wide[16384];
  half row[16384];
  for (size_t r = 0; r < rows; r++) {
    widen((const char *)values + r * inputs * bytes_each(type), type, inputs, wide);
    if (scale != 1)
      for (size_t i = 0; i < inputs; i++) wide[i] *= scale;
    narrow(wide, inputs, row);
    size_t output = first + r;
    half *panel = panels + output / COLUMNS * COLUMNS * inputs + output % COLUMNS * 2;
    for (size_t pair = 0; pair < inputs / 2; pair++) memcpy(panel + pair * COLUMNS * 2, row + pair * 2, 2 * sizeof(half));
  }
}

void cencoder_start_with(cencoder *encoder, cencoder_start part, const void *values, cencoder_type type) {
  size_t width = encoder->shape.width;
  switch (part) {
    case CENCODER_WORDS:
      encoder->words = values;
      encoder->words_type = type;
      break;
    case CENCODER_POSITIONS: widen(values, type, encoder->shape.positions * width, encoder->positions); break;
    case CENCODER_TYPE: {
      float alone[4096];
      widen(values, type, width, alone);
      for (size_t i = 0; i < encoder->shape.positions * width; i++) encoder->positions[i] += alone[i % width];
      break;
    }
    case CENCODER_START_SCALE: widen(values, type, width, encoder->start_scale); break;
    case CENCODER_START_SHIFT: widen(values, type, width, encoder->start_shift); break;
  }
}

void cencoder_take(cencoder *encoder, size_t index, cencoder_part part, const void *values, cencoder_type type) {
  layer *to = encoder->layers + index;
  size_t width = encoder->shape.width, inner = encoder->shape.inner;
  // Products of queries and keys leave the tiles as exponents of two.
  float scale = 1.44269504f / sqrtf((float)(width / encoder->shape.heads));
  switch (part) {
    case CENCODER_QUERY: pack(to->qkv, 0, values, type, width, width, scale); break;
    case CENCODER_KEY: pack(to->qkv, width, values, type, width, width, 1); break;
    case CENCODER_VALUE: pack(to->qkv, 2 * width, values, type, width, width, 1); break;
    case CENCODER_OUT: pack(to->out, 0, values, type, width, width, 1); break;
    case CENCODER_UP: pack(to->up, 0, values, type, inner, width, 1); break;
    case CENCODER_DOWN: pack(to->down, 0, values, type, width, inner, 1); break;
    case CENCODER_QUERY_BIAS:
      widen(values, type, width, to->qkv_bias);
      for (size_t i = 0; i < width; i++) to->qkv_bias[i] *= scale;
      break;
    case CENCODER_KEY_BIAS: widen(values, type, width, to->qkv_bias + width); break;
    case CENCODER_VALUE_BIAS: widen(values, type, width, to->qkv_bias + 2 * width); break;
    case CENCODER_OUT_BIAS: widen(values, type, width, to->out_bias); break;
    case CENCODER_UP_BIAS: widen(values, type, inner, to->up_bias); break;
    case CENCODER_DOWN_BIAS: widen(values, type, width, to->down_bias); break;
    case CENCODER_FIRST_SCALE: widen(values, type, width, to->first_scale); break;
    case CENCODER_FIRST_SHIFT: widen(values, type, width, to->first_shift); break;
    case CENCODER_SECOND_SCALE: widen(values, type, width, to->second_scale); break;
    case CENCODER_SECOND_SHIFT: widen(values, type, width, to->second_shift); break;
    case CENCODER_PARTS: break;
  }
}

WIDE void cencoder_merge(const void *values, cencoder_type type, const uint16_t *down, const uint16_t *up, size_t rank,
                         size_t inputs, size_t outputs, float *merged) {
  for (size_t output = 0; output < outputs; output++) {
    float *row = merged + output * inputs;
    widen((const char *)values + output * inputs * bytes_each(type), type, inputs, row);
    for (size_t r = 0; r < rank; r++) {
      __m512 factor = _mm512_cvtph_ps(_mm256_set1_epi16((short)up[output * rank + r]));
      for (size_t i = 0; i < inputs; i += 16) {
        __m512 part = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(down + r * inputs + i)));
        _mm512_storeu_ps(row + i, _mm512_fmadd_ps(factor, part, _mm512_loadu_ps(row + i)));
      }
    }
  }
}

// MARK: Attention

/// What one thread works in.
typedef struct {
  float *values, *scores;
  half *narrow, *qkv, *heads, *inner, *keys, *contents, *shares;
  char *memory;
} desk;

static void furnish(desk *desk, arena *from, const cencoder_shape *shape, size_t tokens, size_t longest) {
  // Tiles read whole sixes, also from where the last text begins.
  size_t rows = tokens + 2 * ROWS, keys = up_to(longest, COLUMNS), depth = shape->width / shape->heads;
  desk->values = take(from, rows * shape->width * sizeof(float));
  desk->scores = take(from, ROWS * keys * sizeof(float));
  desk->narrow = take(from, rows * shape->width * sizeof(half));
  desk->qkv = take(from, rows * 3 * shape->width * sizeof(half));
  desk->heads = take(from, rows * shape->width * sizeof(half));
  desk->inner = take(from, rows * shape->inner * sizeof(half));
  desk->keys = take(from, keys * depth * sizeof(half));
  desk->contents = take(from, keys * COLUMNS * sizeof(half));
  desk->shares = take(from, ROWS * keys * sizeof(half));
}

/// Scores of one row to shares, not yet divided by their sum, which is returned.
WIDE static float share(const float *scores, size_t count, half *shares) {
  __m512 most = _mm512_set1_ps(-INFINITY), sum = _mm512_setzero_ps();
  for (size_t i = 0; i < count; i += 16) {
    __mmask16 there = count - i >= 16 ? 0xFFFF : (__mmask16)((1u << (count - i)) - 1);
    most = _mm512_mask_max_ps(most, there, most, _mm512_loadu_ps(scores + i));
  }
  __m512 peak = _mm512_set1_ps(_mm512_reduce_max_ps(most));
  for (size_t i = 0; i < count; i += 16) {
    __mmask16 there = count - i >= 16 ? 0xFFFF : (__mmask16)((1u << (count - i)) - 1);
    __m512 part = exponential(_mm512_sub_ps(_mm512_loadu_ps(scores + i), peak));
    part = _mm512_maskz_mov_ps(there, part);
    sum = _mm512_add_ps(sum, part);
    _mm256_storeu_si256((void *)(shares + i), (__m256i)_mm512_cvtneps_pbh(part));
  }
  return _mm512_reduce_add_ps(sum);
}

/// One text's tokens look at one another: `first` is its first row.
WIDE static void attend(desk *desk, const cencoder_shape *shape, size_t first, size_t count) {
  size_t width = shape->width, depth = width / shape->heads, stride = 3 * width, keys = up_to(count, COLUMNS);
  float tile[ROWS * COLUMNS] __attribute__((aligned(64)));
  memset(desk->keys, 0, keys * depth * sizeof(half));
  memset(desk->contents, 0, keys * COLUMNS * sizeof(half));
  for (size_t head = 0; head < shape->heads; head++) {
    const half *queries = desk->qkv + first * stride + head * depth;
    for (size_t key = 0; key < count; key++) {
      const half *from = queries + key * stride + width;
      half *to = desk->keys + key / COLUMNS * COLUMNS * depth + key % COLUMNS * 2;
      for (size_t pair = 0; pair < depth / 2; pair++) memcpy(to + pair * COLUMNS * 2, from + pair * 2, 2 * sizeof(half));
      from += width;
      to = desk->contents + key / 2 * COLUMNS * 2 + key % 2;
      for (size_t i = 0; i < depth; i++) to[2 * i] = from[i];
    }
    for (size_t row = 0; row < count; row += ROWS) {
      for (size_t column = 0; column < keys; column += COLUMNS) {
        multiply(queries + row * stride, stride * sizeof(half), desk->keys + column * depth, depth / 2, tile);
        for (size_t r = 0; r < ROWS; r++) memcpy(desk->scores + r * keys + column, tile + r * COLUMNS, sizeof tile / ROWS);
      }
      float sums[ROWS];
      for (size_t r = 0; r < ROWS; r++) sums[r] = share(desk->scores + r * keys, count, desk->shares + r * keys);
      multiply(desk->shares, keys * sizeof(half), desk->contents, (count + 1) / 2, tile);
      for (size_t r = 0; r < ROWS && row + r < count; r++) {
        half *to = desk->heads + (first + row + r) * width + head * depth;
        for (size_t i = 0; i < depth; i++) tile[r * COLUMNS + i] /= sums[r];
        narrow(tile + r * COLUMNS, depth, to);
      }
    }
  }
}

// MARK: Whole texts

typedef struct {
  const cencoder *encoder;
  const int32_t *tokens;
  const size_t *starts, *groups;
  size_t count, tokens_at_once, longest;
  cencoder_wanted wanted;
  float *vectors;
  bool (*stop)(const void *);
  const void *context;
  atomic_size_t next;
  atomic_int end;
} work;

WIDE static bool encode(const work *work, desk *desk, size_t from, size_t to) {
  const cencoder *encoder = work->encoder;
  const cencoder_shape *shape = &encoder->shape;
  size_t width = shape->width, origin = work->starts[from], rows = work->starts[to] - origin;
  for (size_t text = from; text < to; text++)
    for (size_t token = work->starts[text]; token < work->starts[text + 1]; token++) {
      float *row = desk->values + (token - origin) * width;
      const float *position = encoder->positions + (token - work->starts[text]) * width;
      size_t word = (size_t)work->tokens[token];
      widen(encoder->words + word * width * bytes_each(encoder->words_type), encoder->words_type, width, row);
      for (size_t i = 0; i < width; i++) row[i] += position[i];
    }
  normalise(desk->values, rows, width, encoder->start_scale, encoder->start_shift, shape->epsilon, desk->narrow);
  for (size_t i = 0; i < shape->layers; i++) {
    if (work->stop(work->context)) return false;
    const layer *layer = encoder->layers + i;
    product(desk->narrow, rows, layer->qkv, width, 3 * width, layer->qkv_bias, PLAIN, desk->qkv, NULL);
    for (size_t text = from; text < to; text++)
      attend(desk, shape, work->starts[text] - origin, work->starts[text + 1] - work->starts[text]);
    product(desk->heads, rows, layer->out, width, width, layer->out_bias, ADDED, NULL, desk->values);
    normalise(desk->values, rows, width, layer->first_scale, layer->first_shift, shape->epsilon, desk->narrow);
    product(desk->narrow, rows, layer->up, width, shape->inner, layer->up_bias, CURVED, desk->inner, NULL);
    product(desk->inner, rows, layer->down, shape->inner, width, layer->down_bias, ADDED, NULL, desk->values);
    normalise(desk->values, rows, width, layer->second_scale, layer->second_shift, shape->epsilon, desk->narrow);
  }
  if (work->wanted == CENCODER_TOKENS) {
    memcpy(work->vectors + origin * width, desk->values, rows * width * sizeof(float));
    return true;
  }
  for (size_t text = from; text < to; text++) {
    float *vector = work->vectors + text * width;
    size_t count = work->starts[text + 1] - work->starts[text];
    memset(vector, 0, width * sizeof *vector);
    for (size_t token = work->starts[text]; token < work->starts[text + 1]; token++)
      for (size_t i = 0; i < width; i++) vector[i] += desk->values[(token - origin) * width + i] / (float)count;
  }
  return true;
}

static void *run(void *argument) {
  work *work = argument;
  desk desk = {0};
  arena counted = {0};
  furnish(&desk, &counted, &work->encoder->shape, work->tokens_at_once, work->longest);
  arena real = {.memory = aligned_alloc(64, counted.used)};
  if (!real.memory) {
    atomic_store(&work->end, CENCODER_NO_MEMORY);
    return NULL;
  }
  // Rows that only fill up a tile are read and must be numbers.
  memset(real.memory, 0, counted.used);
  furnish(&desk, &real, &work->encoder->shape, work->tokens_at_once, work->longest);
  while (atomic_load(&work->end) == CENCODER_DONE) {
    size_t group = atomic_fetch_add(&work->next, 1);
    if (group >= work->count) break;
    if (!encode(work, &desk, work->groups[group], work->groups[group + 1])) atomic_store(&work->end, CENCODER_STOPPED);
  }
  free(real.memory);
  return NULL;
}

cencoder_end cencoder_run(const cencoder *encoder, const int32_t *tokens, const size_t *starts, const size_t *groups,
                          size_t count, size_t threads, cencoder_wanted wanted, float *vectors,
                          bool (*stop)(const void *), const void *context) {
  work work = {.encoder = encoder, .tokens = tokens, .starts = starts, .groups = groups, .count = count,
               .wanted = wanted, .vectors = vectors, .stop = stop, .context = context};
  for (size_t group = 0; group < count; group++) {
    size_t size = starts[groups[group + 1]] - starts[groups[group]];
    if (size > work.tokens_at_once) work.tokens_at_once = size;
    for (size_t text = groups[group]; text < groups[group + 1]; text++)
      if (starts[text + 1] - starts[text] > work.longest) work.longest = starts[text + 1] - starts[text];
  }
  pthread_t others[64];
  size_t started = 0;
  while (started + 1 < threads && started + 1 < count && started < 64) {
    // With fewer threads it only takes longer.
    if (pthread_create(&others[started], NULL, run, &work) != 0) break;
    started++;
  }
  run(&work);
  for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
  return (cencoder_end)atomic_load(&work.end);
}

#else

bool cencoder_works(void) { return false; }
cencoder *cencoder_new(cencoder_shape shape) { return NULL; }
void cencoder_free(cencoder *encoder) {}
void cencoder_start_with(cencoder *encoder, cencoder_start part, const void *values, cencoder_type type) {}
void cencoder_take(cencoder *encoder, size_t layer, cencoder_part part, const void *values, cencoder_type type) {}
void cencoder_merge(const void *values, cencoder_type type, const uint16_t *down, const uint16_t *up, size_t rank,
                    size_t inputs, size_t outputs, float *merged) {}
cencoder_end cencoder_run(const cencoder *encoder, const int32_t *tokens, const size_t *starts, const size_t *groups,
                          size_t count, size_t threads, cencoder_wanted wanted, float *vectors,
                          bool (*stop)(const void *), const void *context) {
  return CENCODER_NO_MEMORY;
}

#endif
