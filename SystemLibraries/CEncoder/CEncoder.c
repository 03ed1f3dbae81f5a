#include "CEncoder.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "Inside.h"

// What the same numbers come to may depend on nothing but the numbers.
#pragma STDC FP_CONTRACT OFF

// MARK: Ways to compute

/// The fastest first, but for what `is_overtaken` says. What all processors run is last.
static const way *const ways[] = {
#if defined(__x86_64__)
    &cencoder_bf16, &cencoder_avx512vnni, &cencoder_avxvnni, &cencoder_avx512vl, &cencoder_avx2,
#elif defined(__aarch64__)
    &cencoder_i8mm, &cencoder_dotprod,
#endif
    &cencoder_plain,
};
enum { WAYS = sizeof ways / sizeof *ways };

static const way *way_named(const char *name) {
  for (size_t i = 0; i < WAYS; i++)
    if (strcmp(ways[i]->name, name) == 0 && ways[i]->runs()) return ways[i];
  return NULL;
}

static bool worth_while(const way *way) {
#if !defined(__OPTIMIZE__)
  // Only what is written in assembly is fast in a build without optimisation.
  if (way->multiply) return false;
#endif
  return way != &cencoder_plain && way->runs();
}

/// Whether another way that is worth while is faster here.
static bool is_overtaken(const way *way) {
#if defined(__x86_64__)
  return way == &cencoder_bf16 && worth_while(&cencoder_avx512vnni) && cencoder_bf16_lags();
#else
  (void)way;
  return false;
#endif
}

const char *cencoder_way(const char *wanted) {
  const way *way = wanted ? way_named(wanted) : NULL;
  for (size_t i = 0; !way && i < WAYS; i++)
    if (worth_while(ways[i]) && !is_overtaken(ways[i])) way = ways[i];
  return way ? way->name : NULL;
}

const char *cencoder_way_at(size_t index) {
  return index < WAYS ? (ways[index]->runs() ? ways[index]->name : "") : NULL;
}

bool cencoder_multiply(const char *name, const uint8_t *values, size_t rows, const int8_t *weights, size_t inputs,
                       size_t outputs, int32_t *sums) {
  const way *way = way_named(name);
  if (!way || !way->multiply || inputs % 4 != 0 || outputs % 16 != 0) return false;
  way->multiply(values, rows, weights, inputs, outputs, sums);
  return true;
}

// MARK: Weights

static matrix place_matrix(arena *from, size_t outputs, size_t inputs, size_t each) {
  return (matrix){
      .panels = take(from, outputs * inputs * each),
      .bias = take(from, outputs * sizeof(float)),
      .scales = take(from, outputs * sizeof(float)),
      .sums = take(from, outputs * sizeof(float)),
      .wholes = take(from, outputs * sizeof(int32_t)),
  };
}

static void place(cencoder *encoder, arena *from) {
  size_t width = encoder->shape.width, inner = encoder->shape.inner, each = encoder->way->bytes_each_weight;
  encoder->positions = take(from, encoder->shape.positions * width * sizeof(float));
  encoder->start_scale = take(from, width * sizeof(float));
  encoder->start_shift = take(from, width * sizeof(float));
  for (size_t i = 0; i < encoder->shape.layers; i++) {
    encoder->layers[i] = (layer){
        .qkv = place_matrix(from, 3 * width, width, each),
        .out = place_matrix(from, width, width, each),
        .up = place_matrix(from, inner, width, each),
        .down = place_matrix(from, width, inner, each),
        .first_scale = take(from, width * sizeof(float)),
        .first_shift = take(from, width * sizeof(float)),
        .second_scale = take(from, width * sizeof(float)),
        .second_shift = take(from, width * sizeof(float)),
    };
  }
}

cencoder *cencoder_new(cencoder_shape shape, const char *name) {
  const way *way = name ? way_named(name) : NULL;
  bool sound = shape.heads > 0 && shape.width > 0 && shape.inner > 0 && shape.layers > 0 && shape.layers <= 64 &&
               shape.width <= 4096 && shape.inner <= 16384 && shape.positions > 0 && shape.positions <= 16384;
  if (!way || !sound || !way->fits(&shape)) return NULL;
  cencoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  encoder->shape = shape;
  encoder->way = way;
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

/// A float's bits from those of a half, infinity and what is no number aside: no weight is.
static float from_half(uint16_t bits) {
  uint32_t wide = (uint32_t)(bits & 0x7FFF) << 13, sign = (uint32_t)(bits & 0x8000) << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  value *= 0x1p112f;  // the exponents begin elsewhere
  return sign ? -value : value;
}

static void widen(const void *values, cencoder_type type, size_t count, float *wide) {
  switch (type) {
    case CENCODER_F32: memcpy(wide, values, count * sizeof(float)); break;
    case CENCODER_F16:
      for (size_t i = 0; i < count; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)values + 2 * i, sizeof bits);
        wide[i] = from_half(bits);
      }
      break;
    case CENCODER_BF16:
      for (size_t i = 0; i < count; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)values + 2 * i, sizeof bits);
        uint32_t upper = (uint32_t)bits << 16;
        memcpy(wide + i, &upper, sizeof upper);
      }
      break;
  }
}

static void pack(const cencoder *encoder, matrix *to, size_t first, const void *values, cencoder_type type, size_t rows,
                 size_t inputs, float scale) {
  float wide[16384];
  for (size_t r = 0; r < rows; r++) {
    widen((const char *)values + r * inputs * bytes_each(type), type, inputs, wide);
    if (scale != 1)
      for (size_t i = 0; i < inputs; i++) wide[i] *= scale;
    encoder->way->pack(to, first + r, wide, inputs);
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
    case CENCODER_QUERY: pack(encoder, &to->qkv, 0, values, type, width, width, scale); break;
    case CENCODER_KEY: pack(encoder, &to->qkv, width, values, type, width, width, 1); break;
    case CENCODER_VALUE: pack(encoder, &to->qkv, 2 * width, values, type, width, width, 1); break;
    case CENCODER_OUT: pack(encoder, &to->out, 0, values, type, width, width, 1); break;
    case CENCODER_UP: pack(encoder, &to->up, 0, values, type, inner, width, 1); break;
    case CENCODER_DOWN: pack(encoder, &to->down, 0, values, type, width, inner, 1); break;
    case CENCODER_QUERY_BIAS:
      widen(values, type, width, to->qkv.bias);
      for (size_t i = 0; i < width; i++) to->qkv.bias[i] *= scale;
      break;
    case CENCODER_KEY_BIAS: widen(values, type, width, to->qkv.bias + width); break;
    case CENCODER_VALUE_BIAS: widen(values, type, width, to->qkv.bias + 2 * width); break;
    case CENCODER_OUT_BIAS: widen(values, type, width, to->out.bias); break;
    case CENCODER_UP_BIAS: widen(values, type, inner, to->up.bias); break;
    case CENCODER_DOWN_BIAS: widen(values, type, width, to->down.bias); break;
    case CENCODER_FIRST_SCALE: widen(values, type, width, to->first_scale); break;
    case CENCODER_FIRST_SHIFT: widen(values, type, width, to->first_shift); break;
    case CENCODER_SECOND_SCALE: widen(values, type, width, to->second_scale); break;
    case CENCODER_SECOND_SHIFT: widen(values, type, width, to->second_shift); break;
    case CENCODER_PARTS: break;
  }
}

// MARK: Whole texts

void cencoder_begin(const work *work, size_t from, size_t to, float *values) {
  const cencoder *encoder = work->encoder;
  size_t width = encoder->shape.width, origin = work->starts[from];
  for (size_t text = from; text < to; text++)
    for (size_t token = work->starts[text]; token < work->starts[text + 1]; token++) {
      float *row = values + (token - origin) * width;
      const float *position = encoder->positions + (token - work->starts[text]) * width;
      size_t word = (size_t)work->tokens[token];
      widen(encoder->words + word * width * bytes_each(encoder->words_type), encoder->words_type, width, row);
      for (size_t i = 0; i < width; i++) row[i] += position[i];
    }
}

void cencoder_keep(const work *work, size_t from, size_t to, const float *values) {
  size_t width = work->encoder->shape.width, origin = work->starts[from];
  for (size_t text = from; text < to; text++) {
    float *vector = work->vectors + text * width;
    size_t count = work->starts[text + 1] - work->starts[text];
    memset(vector, 0, width * sizeof *vector);
    for (size_t token = work->starts[text]; token < work->starts[text + 1]; token++)
      for (size_t i = 0; i < width; i++) vector[i] += values[(token - origin) * width + i] / (float)count;
  }
}

static void *run(void *argument) {
  work *work = argument;
  size_t bytes = work->encoder->way->desk(work);
  char *desk = aligned_alloc(64, bytes);
  if (!desk) {
    atomic_store(&work->end, CENCODER_NO_MEMORY);
    return NULL;
  }
  // Rows that only fill up a tile are read and must be numbers.
  memset(desk, 0, bytes);
  while (atomic_load(&work->end) == CENCODER_DONE) {
    size_t group = atomic_fetch_add(&work->next, 1);
    if (group >= work->count) break;
    if (!work->encoder->way->encode(work, desk, work->groups[group], work->groups[group + 1]))
      atomic_store(&work->end, CENCODER_STOPPED);
  }
  free(desk);
  return NULL;
}

cencoder_end cencoder_run(const cencoder *encoder, const int32_t *tokens, const size_t *starts, const size_t *groups,
                          size_t count, size_t threads, float *vectors,
                          bool (*stop)(const void *), const void *context) {
  work work = {.encoder = encoder, .tokens = tokens, .starts = starts, .groups = groups, .count = count,
               .vectors = vectors, .stop = stop, .context = context};
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
