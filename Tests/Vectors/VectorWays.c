#include "VectorWays.h"

#include <stdlib.h>

// The very loops, whichever of them this processor would choose, under other names than the library's.
#define cvector_pack vector_ways_pack
#define cvector_sign vector_ways_sign
#define cvector_planes vector_ways_planes
#define cvector_estimate vector_ways_estimate
#define cvector_products vector_ways_products
#define cvector_cut vector_ways_cut
#include "../../SystemLibraries/CVector/CVector.c"

typedef void (*estimating)(const uint64_t *restrict, const float *restrict, size_t, size_t, const uint64_t *restrict, float, float,
                           float *restrict);
typedef void (*multiplying)(const int16_t *restrict, const float *restrict, size_t, size_t, const float *restrict, float *restrict);

typedef struct {
  const char *name;
  bool here;
  estimating estimate;
  multiplying products;
} vector_way;

static vector_way found(const char *name) {
  const vector_way all[] = {
      {"flat", true, estimate_flat, products_flat},
#if defined(__x86_64__)
      {"middle", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), estimate_middle, products_middle},
      {"wide", __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl"), estimate_wide, products_wide},
#endif
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i].name, name) == 0) return all[i];
  return (vector_way){name, false, NULL, NULL};
}

bool vector_ways_has(const char *way) { return found(way).here; }

static uint64_t state;
static uint64_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state ^ state >> 29;
}

// What words and numbers are made of: noise, nothing, everything, and in numbers one that is far from the others.
enum { NOISE, NOTHING, EVERYTHING, OUTLIER, KINDS };
static uint64_t word(int kind) { return kind == NOTHING ? 0 : kind == EVERYTHING ? ~(uint64_t)0 : next(); }
static float number(int kind, size_t place) {
  const float noise = (float)(int32_t)(next() >> 32) / 2147483648.0f;
  return kind == NOTHING ? 0 : kind == EVERYTHING ? 1e30f : kind == OUTLIER && place % 61 == 7 ? 1e6f * noise : noise;
}
static int16_t whole(int kind, size_t place) {
  return kind == NOTHING ? 0 : kind == EVERYTHING ? (place % 2 ? -32768 : 32767) : (int16_t)(next() >> 40);
}

int vector_ways_wrong_estimates(const char *name) {
  enum { WORDS = 17, ROWS = 33 };
  const vector_way way = found(name);
  uint64_t codes[WORDS * ROWS], planes[4 * WORDS];
  float factors[ROWS], scores[ROWS + 1];
  int wrong = 0;
  state = 1;
  for (size_t words = 1; words <= WORDS; words++)
    for (size_t rows = 0; rows <= ROWS; rows++)
      for (int kind = 0; kind < KINDS * KINDS; kind++) {
        for (size_t i = 0; i < words * rows; i++) codes[i] = word(kind % KINDS);
        for (size_t i = 0; i < 4 * words; i++) planes[i] = word(kind / KINDS);
        for (size_t row = 0; row < rows; row++) factors[row] = number(kind % 2 ? NOISE : OUTLIER, row);
        const float step = 0.0625f * (float)kind, sum = number(NOISE, 0) * 40;
        scores[rows] = 12345;
        way.estimate(codes, factors, words, rows, planes, step, sum, scores);
        wrong += scores[rows] != 12345; // written beyond the end
        for (size_t row = 0; row < rows; row++) {
          int64_t total = 0;
          for (size_t bit = 0; bit < 64 * words; bit++) {
            if (!(codes[row * words + bit / 64] >> bit % 64 & 1)) continue;
            for (int plane = 0; plane < 4; plane++)
              if (planes[(size_t)plane * words + bit / 64] >> bit % 64 & 1) total += plane == 3 ? -8 : 1 << plane;
          }
          const double factor = factors[row], part = 2.0 * step * (double)total;
          const double off = fabs(scores[row] - factor * (part - sum)), bound = 4e-7 * fabs(factor) * (fabs(part) + fabs(sum));
          wrong += !(off <= bound); // not a number is wrong as well
        }
      }
  return wrong;
}

int vector_ways_wrong_products(const char *name) {
  static const size_t lengths[] = {1, 31, 32, 33, 63, 64, 65, 100, 383, 384, 385, 1024};
  enum { LONGEST = 1024, ROWS = 5 };
  const vector_way way = found(name);
  int16_t stored[LONGEST * ROWS];
  float query[LONGEST], scales[ROWS], scores[ROWS + 1];
  int wrong = 0;
  state = 2;
  for (size_t at = 0; at < sizeof lengths / sizeof *lengths; at++)
    for (size_t rows = 0; rows <= ROWS; rows++)
      for (int kind = 0; kind < KINDS * KINDS; kind++) {
        const size_t length = lengths[at];
        for (size_t i = 0; i < length * rows; i++) stored[i] = whole(kind % KINDS, i);
        for (size_t i = 0; i < length; i++) query[i] = number(kind / KINDS, i);
        for (size_t row = 0; row < rows; row++) scales[row] = number(NOISE, row) / 32767;
        scores[rows] = 12345;
        way.products(stored, scales, length, rows, query, scores);
        wrong += scores[rows] != 12345;
        for (size_t row = 0; row < rows; row++) {
          double sum = 0, sizes = 0;
          for (size_t i = 0; i < length; i++) {
            const double product = (double)stored[row * length + i] * query[i];
            sum += product;
            sizes += fabs(product);
          }
          // Each of 32 lanes adds a part of it, then they are added up.
          const double bound = 6e-8 * (double)(length / 32 + 72) * sizes * fabs(scales[row]);
          wrong += !(fabs(scores[row] - sum * scales[row]) <= bound);
        }
      }
  return wrong;
}
