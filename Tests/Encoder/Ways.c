#include "Ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEncoder.h"

/// What the vectors of all texts come to, on every processor: a digest of their bytes.
static const uint64_t expected = 0x1ef30d85a374515e;

// Tests of several ways run at once.
static _Thread_local uint32_t state = 1;
static int next(void) { return (int)((state = state * 1664525 + 1013904223) >> 16); }

static float *floats(size_t count, float size, float middle) {
  float *all = malloc(count * sizeof *all);
  for (size_t i = 0; i < count; i++) all[i] = (float)(next() - 32768) / 32768 * size + middle;
  return all;
}

static bool never(const void *context) { return false; }

/// Two layers, texts of one to seventy tokens; some channels of the first normalisation are far larger than others.
static uint64_t texts(const char *way, size_t heads) {
  state = 7;
  enum { WIDTH = 64, INNER = 192, WORDS = 50, POSITIONS = 80 };
  cencoder *encoder = cencoder_new((cencoder_shape){2, WIDTH, heads, INNER, POSITIONS, 1e-6f}, way);
  if (!encoder) return 0;
  cencoder_start_with(encoder, CENCODER_WORDS, floats(WORDS * WIDTH, 1, 0), CENCODER_F32);
  cencoder_start_with(encoder, CENCODER_POSITIONS, floats(POSITIONS * WIDTH, 0.5f, 0), CENCODER_F32);
  cencoder_start_with(encoder, CENCODER_TYPE, floats(WIDTH, 0.5f, 0), CENCODER_F32);
  cencoder_start_with(encoder, CENCODER_START_SCALE, floats(WIDTH, 0.5f, 1), CENCODER_F32);
  cencoder_start_with(encoder, CENCODER_START_SHIFT, floats(WIDTH, 0.5f, 0), CENCODER_F32);
  for (size_t layer = 0; layer < 2; layer++)
    for (cencoder_part part = 0; part < CENCODER_PARTS; part++) {
      size_t count = part < CENCODER_UP ? WIDTH * WIDTH
                     : part <= CENCODER_DOWN ? INNER * WIDTH
                     : part == CENCODER_UP_BIAS ? INNER : WIDTH;
      bool scale = part == CENCODER_FIRST_SCALE || part == CENCODER_SECOND_SCALE;
      float *values = floats(count, 0.25f, scale ? 1 : 0);
      if (part == CENCODER_FIRST_SCALE) values[5] = 20;
      cencoder_take(encoder, layer, part, values, CENCODER_F32);
      free(values);
    }
  const size_t lengths[] = {1, 2, 15, 16, 17, 70, 33}, groups[] = {0, 5, 6, 7};
  size_t starts[8] = {0};
  for (size_t i = 0; i < 7; i++) starts[i + 1] = starts[i] + lengths[i];
  int32_t tokens[200];
  for (size_t i = 0; i < starts[7]; i++) tokens[i] = next() % WORDS;
  float vectors[7 * WIDTH];
  cencoder_end end = cencoder_run(encoder, tokens, starts, groups, 3, 2, vectors, never, NULL);
  cencoder_free(encoder);
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; end == CENCODER_DONE && i < sizeof vectors; i++)
    hash = (hash ^ ((const uint8_t *)vectors)[i]) * 1099511628211u;
  return hash;
}

static bool sums(const char *way, size_t rows, size_t inputs, size_t outputs, bool extreme, int most) {
  uint8_t *values = malloc(rows * inputs);
  int8_t *weights = malloc(outputs * inputs);
  int32_t *found = calloc(rows * outputs, sizeof *found);
  // Neighbours together stay within 128, and reach it.
  static const int8_t pairs[][2] = {{127, 1}, {-128, 0}, {64, 64}, {-64, -64}, {-1, -127}, {0, 127}};
  for (size_t i = 0; i < rows * inputs; i++) values[i] = (uint8_t)(extreme ? most * (next() % 16 > 0) : next() & most);
  for (size_t output = 0; output < outputs; output++)
    for (size_t i = 0; i < inputs; i++)
      weights[output * inputs + i] = extreme ? pairs[output % 6][i % 2] : (int8_t)(next() % 129 - 64);
  bool right = cencoder_multiply(way, values, rows, weights, inputs, outputs, found);
  for (size_t r = 0; r < rows; r++)
    for (size_t output = 0; output < outputs; output++) {
      int32_t sum = 0;
      for (size_t i = 0; i < inputs; i++) sum += values[r * inputs + i] * weights[output * inputs + i];
      right = right && sum == found[r * outputs + output];
    }
  free(values), free(weights), free(found);
  return right;
}

bool ways_sums(const char *way) {
  static const size_t shapes[][3] = {{1, 4, 16}, {2, 64, 16}, {5, 384, 48}, {7, 100, 80}, {13, 1536, 112}, {33, 8, 64}};
  bool right = true;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int extreme = 0; extreme < 2; extreme++)
      right = sums(way, shapes[i][0], shapes[i][1], shapes[i][2], extreme, 255) &&
              sums(way, shapes[i][0], shapes[i][1], shapes[i][2], extreme, 31) && right;
  return right;
}

bool ways_texts(const char *way) {
  uint64_t hash = 0;
  for (size_t heads = 1; heads <= 4; heads *= 2) hash = hash * 31 + texts(way, heads);
  return hash == expected;
}

#ifdef ALONE
int main(void) {
  bool all = true;
  const char *way;
  for (size_t index = 0; (way = cencoder_way_at(index)); index++) {
    if (!*way || strcmp(way, "bf16") == 0) continue;
    bool exact = ways_sums(way), same = ways_texts(way);
    all = all && exact && same;
    printf("%s: sums %s, texts %s\n", way, exact ? "right" : "WRONG", same ? "right" : "WRONG");
  }
  return !all;
}
#endif
