#include "CVector.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Each loop is written once and compiled for several processors; the best one is chosen when it is first called.
#if defined(__x86_64__)
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,fma,popcnt,prefer-256-bit")))
#define MIDDLE __attribute__((target("avx2,fma,popcnt")))
#define FLAT
#define CHOOSE(name, ...)                                                                                  \
  do {                                                                                                     \
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl")) return name##_wide(__VA_ARGS__); \
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return name##_middle(__VA_ARGS__);  \
    return name##_flat(__VA_ARGS__);                                                                       \
  } while (0)
#else
#define FLAT
#define CHOOSE(name, ...) return name##_flat(__VA_ARGS__)
#endif

float cvector_pack(const float *vector, size_t dimensions, int16_t *stored) {
  float peak = 0;
  for (size_t i = 0; i < dimensions; i++) {
    float size = fabsf(vector[i]);
    if (size > peak) peak = size;
  }
  if (!(peak > 0) || !isfinite(peak)) {
    memset(stored, 0, dimensions * sizeof *stored);
    return 0;
  }
  float scale = peak / 32767.0f;
  for (size_t i = 0; i < dimensions; i++) stored[i] = (int16_t)lrintf(vector[i] / scale);
  return scale;
}

float cvector_sign(const int16_t *stored, float scale, size_t dimensions, uint64_t *code) {
  float squares = 0, sizes = 0;
  memset(code, 0, dimensions / 64 * sizeof *code);
  for (size_t i = 0; i < dimensions; i++) {
    float rest = scale * stored[i];
    squares += rest * rest;
    sizes += fabsf(rest);
    if (rest > 0) code[i / 64] |= (uint64_t)1 << (i % 64);
  }
  return sizes > 0 ? squares / sizes : 0;
}

float cvector_planes(const float *query, size_t dimensions, uint64_t *planes) {
  size_t words = dimensions / 64;
  float peak = 0;
  for (size_t i = 0; i < dimensions; i++) {
    float size = fabsf(query[i]);
    if (size > peak) peak = size;
  }
  memset(planes, 0, 4 * words * sizeof *planes);
  if (!(peak > 0)) return 0;
  float step = peak / 7.0f;
  for (size_t i = 0; i < dimensions; i++) {
    // Two's complement of four bits: the planes weigh 1, 2, 4 and -8.
    unsigned level = (unsigned)lrintf(query[i] / step) & 15u;
    for (unsigned plane = 0; plane < 4; plane++)
      if (level >> plane & 1u) planes[plane * words + i / 64] |= (uint64_t)1 << (i % 64);
  }
  return step;
}

#define ESTIMATE(suffix, attribute)                                                                        \
  attribute static void estimate_##suffix(const uint64_t *restrict codes, const float *restrict factors,   \
                                          size_t words, size_t count, const uint64_t *restrict planes,     \
                                          float step, float sum, float *restrict scores) {                 \
    if (words == 6) { /* 384 dimensions: unrolled */                                                       \
      uint64_t plane[24];                                                                                  \
      memcpy(plane, planes, sizeof plane);                                                                 \
      for (size_t row = 0; row < count; row++) {                                                           \
        const uint64_t *code = codes + row * 6;                                                            \
        int64_t total = 0;                                                                                 \
        for (int word = 0; word < 6; word++) {                                                             \
          total += __builtin_popcountll(code[word] & plane[word]);                                         \
          total += 2 * __builtin_popcountll(code[word] & plane[6 + word]);                                 \
          total += 4 * __builtin_popcountll(code[word] & plane[12 + word]);                                \
          total -= 8 * __builtin_popcountll(code[word] & plane[18 + word]);                                \
        }                                                                                                  \
        scores[row] = factors[row] * (2 * step * (float)total - sum);                                      \
      }                                                                                                    \
      return;                                                                                              \
    }                                                                                                      \
    for (size_t row = 0; row < count; row++) {                                                             \
      const uint64_t *code = codes + row * words;                                                          \
      int64_t total = 0;                                                                                   \
      for (size_t word = 0; word < words; word++) {                                                        \
        total += __builtin_popcountll(code[word] & planes[word]);                                          \
        total += 2 * __builtin_popcountll(code[word] & planes[words + word]);                              \
        total += 4 * __builtin_popcountll(code[word] & planes[2 * words + word]);                          \
        total -= 8 * __builtin_popcountll(code[word] & planes[3 * words + word]);                          \
      }                                                                                                    \
      scores[row] = factors[row] * (2 * step * (float)total - sum);                                        \
    }                                                                                                      \
  }

#define PRODUCTS(suffix, attribute)                                                                        \
  attribute static void products_##suffix(const int16_t *restrict stored, const float *restrict scales,    \
                                          size_t dimensions, size_t count, const float *restrict query,    \
                                          float *restrict scores) {                                        \
    for (size_t row = 0; row < count; row++) {                                                             \
      const int16_t *vector = stored + row * dimensions;                                                   \
      float lanes[32] = {0};                                                                               \
      size_t i = 0;                                                                                        \
      for (; i + 32 <= dimensions; i += 32)                                                                \
        for (int lane = 0; lane < 32; lane++) lanes[lane] += (float)vector[i + lane] * query[i + lane];    \
      float total = 0;                                                                                     \
      for (; i < dimensions; i++) total += (float)vector[i] * query[i];                                    \
      for (int lane = 0; lane < 32; lane++) total += lanes[lane];                                          \
      scores[row] = scales[row] * total;                                                                   \
    }                                                                                                      \
  }

ESTIMATE(flat, FLAT)
PRODUCTS(flat, FLAT)
#if defined(__x86_64__)
ESTIMATE(middle, MIDDLE)
PRODUCTS(middle, MIDDLE)
ESTIMATE(narrow, WIDE)
PRODUCTS(wide, WIDE)

// Codes of six words, eight words at a time whatever row they belong to: after three steps of eight words, four rows, the words of
// the query stand as before.
WIDE static void estimate_wide(const uint64_t *restrict codes, const float *restrict factors, size_t words, size_t count,
                               const uint64_t *restrict planes, float step, float sum, float *restrict scores) {
  size_t done = 0;
  if (words == 6) {
    __m512i plane[3][4];
    for (int turn = 0; turn < 3; turn++)
      for (int weight = 0; weight < 4; weight++) {
        uint64_t lanes[8];
        for (int lane = 0; lane < 8; lane++) lanes[lane] = planes[weight * 6 + (turn * 8 + lane) % 6];
        plane[turn][weight] = _mm512_loadu_si512(lanes);
      }
    for (; done + 4 <= count; done += 4) {
      int64_t parts[24];
      for (int turn = 0; turn < 3; turn++) {
        const __m512i code = _mm512_loadu_si512(codes + done * 6 + turn * 8);
        __m512i held[4];
        for (int weight = 0; weight < 4; weight++)
          held[weight] = _mm512_popcnt_epi64(_mm512_and_si512(code, plane[turn][weight]));
        // 1, 2, 4 and -8 times what each plane holds.
        __m512i total = _mm512_sub_epi64(held[2], _mm512_slli_epi64(held[3], 1));
        total = _mm512_add_epi64(held[1], _mm512_slli_epi64(total, 1));
        total = _mm512_add_epi64(held[0], _mm512_slli_epi64(total, 1));
        _mm512_storeu_si512(parts + turn * 8, total);
      }
      for (int row = 0; row < 4; row++) {
        const int64_t *part = parts + row * 6;
        const int64_t total = part[0] + part[1] + part[2] + part[3] + part[4] + part[5];
        scores[done + row] = factors[done + row] * (2 * step * (float)total - sum);
      }
    }
  }
  estimate_narrow(codes + done * words, factors + done, words, count - done, planes, step, sum, scores + done);
}
#endif

void cvector_estimate(const uint64_t *codes, const float *factors, size_t words, size_t count, const uint64_t *planes,
                      float step, float sum, float *scores) {
  CHOOSE(estimate, codes, factors, words, count, planes, step, sum, scores);
}

void cvector_products(const int16_t *stored, const float *scales, size_t dimensions, size_t count, const float *query,
                      float *scores) {
  CHOOSE(products, stored, scales, dimensions, count, query, scores);
}

float cvector_cut(float *scores, size_t count, size_t keep) {
  // Quickselect, largest first; NaN never enters, the callers keep only scores above a threshold.
  ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, wanted = (ptrdiff_t)keep - 1;
  while (low < high) {
    float pivot = scores[low + (high - low) / 2];
    ptrdiff_t left = low - 1, right = high + 1;
    for (;;) {
      do left++; while (scores[left] > pivot);
      do right--; while (scores[right] < pivot);
      if (left >= right) break;
      float swap = scores[left];
      scores[left] = scores[right];
      scores[right] = swap;
    }
    if (wanted <= right)
      high = right;
    else
      low = right + 1;
  }
  return scores[wanted];
}
