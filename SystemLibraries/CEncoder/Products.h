#pragma once
// Products of matrices and what is done to their results, for processors that multiply bfloat16.

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma,f16c")))

typedef uint16_t half;  // the upper half of a float

// Products are made of tiles: six rows by 64 columns, all in registers.
enum { ROWS = 6, COLUMNS = 64 };

#define TIMES(row, from, a, b, c, d)                                                                                   \
  "vpbroadcastd " from ", %%zmm" row "\n"                                                                              \
  "vdpbf16ps %%zmm24, %%zmm" row ", %%zmm" a "\n vdpbf16ps %%zmm25, %%zmm" row ", %%zmm" b "\n"                        \
  "vdpbf16ps %%zmm26, %%zmm" row ", %%zmm" c "\n vdpbf16ps %%zmm27, %%zmm" row ", %%zmm" d "\n"
#define ZERO(a, b, c, d)                                                                                               \
  "vpxord %%zmm" a ", %%zmm" a ", %%zmm" a "\n vpxord %%zmm" b ", %%zmm" b ", %%zmm" b "\n"                            \
  "vpxord %%zmm" c ", %%zmm" c ", %%zmm" c "\n vpxord %%zmm" d ", %%zmm" d ", %%zmm" d "\n"
#define KEEP(at, a, b, c, d)                                                                                           \
  "vmovups %%zmm" a ", " #at "*256(%[tile])\n vmovups %%zmm" b ", " #at "*256+64(%[tile])\n"                           \
  "vmovups %%zmm" c ", " #at "*256+128(%[tile])\n vmovups %%zmm" d ", " #at "*256+192(%[tile])\n"

/// Six rows, `stride` bytes apart, times one panel. Written out because nearly all time is spent here, and so that a build without
/// optimisation is of use too.
WIDE static void multiply(const half *rows, size_t stride, const half *panel, size_t pairs, float *tile) {
  const half *lower = (const half *)((const char *)rows + 3 * stride);
  __asm__ volatile(
      ZERO("0", "1", "2", "3") ZERO("4", "5", "6", "7") ZERO("8", "9", "10", "11")
      ZERO("12", "13", "14", "15") ZERO("16", "17", "18", "19") ZERO("20", "21", "22", "23")
      "1:\n"
      "vmovups (%[panel]), %%zmm24\n vmovups 64(%[panel]), %%zmm25\n"
      "vmovups 128(%[panel]), %%zmm26\n vmovups 192(%[panel]), %%zmm27\n"
      TIMES("28", "(%[rows])", "0", "1", "2", "3")
      TIMES("29", "(%[rows],%[stride])", "4", "5", "6", "7")
      TIMES("30", "(%[rows],%[stride],2)", "8", "9", "10", "11")
      TIMES("31", "(%[lower])", "12", "13", "14", "15")
      TIMES("28", "(%[lower],%[stride])", "16", "17", "18", "19")
      TIMES("29", "(%[lower],%[stride],2)", "20", "21", "22", "23")
      "add $256, %[panel]\n add $4, %[rows]\n add $4, %[lower]\n dec %[pairs]\n jnz 1b\n"
      KEEP(0, "0", "1", "2", "3") KEEP(1, "4", "5", "6", "7") KEEP(2, "8", "9", "10", "11")
      KEEP(3, "12", "13", "14", "15") KEEP(4, "16", "17", "18", "19") KEEP(5, "20", "21", "22", "23")
      : [rows] "+r"(rows), [lower] "+r"(lower), [panel] "+r"(panel), [pairs] "+r"(pairs)
      : [stride] "r"(stride), [tile] "r"(tile)
      : "memory", "cc", "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8", "zmm9", "zmm10", "zmm11",
        "zmm12", "zmm13", "zmm14", "zmm15", "zmm16", "zmm17", "zmm18", "zmm19", "zmm20", "zmm21", "zmm22", "zmm23",
        "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
}

WIDE static __m512 exponential(__m512 x) {
  __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 rest = _mm512_sub_ps(x, whole);
  __m512 sum = _mm512_set1_ps(0.001333355815f);
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(0.009618129108f));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(0.05550410866f));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(0.2402265070f));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(0.6931471806f));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1));
  return _mm512_scalef_ps(sum, whole);
}

/// x times the normal distribution up to x, by the error function of Abramowitz and Stegun, 7.1.26.
WIDE static __m512 gelu(__m512 x) {
  __m512 size = _mm512_abs_ps(x);
  __m512 t = _mm512_rcp14_ps(_mm512_fmadd_ps(size, _mm512_set1_ps(0.3275911f * 0.70710678f), _mm512_set1_ps(1)));
  __m512 sum = _mm512_set1_ps(1.061405429f);
  sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(-1.453152027f));
  sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(1.421413741f));
  sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(-0.284496736f));
  sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(0.254829592f));
  __m512 fall = exponential(_mm512_mul_ps(_mm512_mul_ps(x, x), _mm512_set1_ps(-0.5f * 1.44269504f)));
  __m512 tail = _mm512_mul_ps(_mm512_mul_ps(sum, t), _mm512_mul_ps(fall, _mm512_set1_ps(0.5f)));
  // The tail beyond |x|: for x above zero it is what is missing from x.
  return _mm512_sub_ps(_mm512_max_ps(x, _mm512_setzero_ps()), _mm512_mul_ps(size, tail));
}

typedef enum { PLAIN, CURVED, ADDED } finish;

/// `count` rows (read in sixes) times a packed matrix, plus bias: as halves, as halves after the curve, or added to floats.
WIDE static void product(const half *rows, size_t count, const half *panels, size_t inputs, size_t outputs,
                         const float *bias, finish how, half *halves, float *floats) {
  float tile[ROWS * COLUMNS] __attribute__((aligned(64)));
  for (size_t column = 0; column < outputs; column += COLUMNS)
    for (size_t row = 0; row < count; row += ROWS) {
      multiply(rows + row * inputs, inputs * sizeof(half), panels + column * inputs, inputs / 2, tile);
      for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c += 16) {
          size_t place = (row + r) * outputs + column + c;
          __m512 sum = _mm512_add_ps(_mm512_load_ps(tile + r * COLUMNS + c), _mm512_loadu_ps(bias + column + c));
          if (how == ADDED) {
            _mm512_storeu_ps(floats + place, _mm512_add_ps(sum, _mm512_loadu_ps(floats + place)));
            continue;
          }
          if (how == CURVED) sum = gelu(sum);
          _mm256_storeu_si256((void *)(halves + place), (__m256i)_mm512_cvtneps_pbh(sum));
        }
    }
}

WIDE static void normalise(float *values, size_t rows, size_t width, const float *scale, const float *shift,
                           float epsilon, half *halves) {
  for (size_t row = 0; row < rows; row++, values += width, halves += width) {
    __m512 sum = _mm512_setzero_ps(), squares = _mm512_setzero_ps();
    for (size_t i = 0; i < width; i += 16) sum = _mm512_add_ps(sum, _mm512_loadu_ps(values + i));
    __m512 mean = _mm512_set1_ps(_mm512_reduce_add_ps(sum) / (float)width);
    for (size_t i = 0; i < width; i += 16) {
      __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(values + i), mean);
      squares = _mm512_fmadd_ps(apart, apart, squares);
    }
    __m512 factor = _mm512_set1_ps(1 / sqrtf(_mm512_reduce_add_ps(squares) / (float)width + epsilon));
    for (size_t i = 0; i < width; i += 16) {
      __m512 even = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(values + i), mean), factor);
      even = _mm512_fmadd_ps(even, _mm512_loadu_ps(scale + i), _mm512_loadu_ps(shift + i));
      _mm512_storeu_ps(values + i, even);
      _mm256_storeu_si256((void *)(halves + i), (__m256i)_mm512_cvtneps_pbh(even));
    }
  }
}
