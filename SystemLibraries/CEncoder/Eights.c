#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "Inside.h"

// What the same numbers come to may depend on nothing but the numbers.
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpsabi"  // all of it is inlined

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")

// Sixteen at a time, in whatever vectors a processor has.
typedef float lanes __attribute__((vector_size(64)));
typedef int32_t whole __attribute__((vector_size(64)));
typedef lanes loose_lanes __attribute__((aligned(4), may_alias));
typedef whole loose_whole __attribute__((aligned(4), may_alias));
typedef int16_t shorts __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint8_t bytes __attribute__((vector_size(16), aligned(1), may_alias));

#define LOAD(from) (*(const loose_lanes *)(from))
#define STORE(to, value) (*(loose_lanes *)(to) = (value))

/// What becomes of products. `SIXTEENS`: sixteen outputs of all rows are stored before the next sixteen, so that what reads a few
/// outputs of every row finds them side by side. Else row by row, after the curve or added to what is there.
typedef enum { SIXTEENS, CURVED, ADDED } finish;

/// Rows in eight bits: value = lowest + byte * scale. Fine rows have upper bytes too, or are words instead.
typedef struct {
  uint8_t *values, *uppers;
  int16_t *words;
  float *scales, *lows;
} eights;

/// What one thread works in.
typedef struct {
  float *values, *qkv, *heads, *inner, *scores;
  eights eights;
  int16_t *queries, *keys, *contents, *shares, *panel;
  int32_t *sums;
} eights_desk;

/// Tiles read whole, also where the last row stands; none has more rows.
enum { MOST_ROWS = 8 };

/// The most that a fine value is. What leaves a normalisation holds a few numbers far from all others, beside which 256 steps are too
/// few. Sums of 4,096 products with weights of 64 on average still fit 32 bits.
enum { FINE = 8191 };

static void furnish(eights_desk *desk, arena *from, const work *work) {
  const cencoder_shape *shape = &work->encoder->shape;
  size_t rows = work->tokens_at_once + MOST_ROWS, width = shape->width, depth = width / shape->heads,
         keys = up_to(work->longest, 16), widest = shape->inner > width ? shape->inner : width;
  desk->values = take(from, rows * width * sizeof(float));
  desk->qkv = take(from, rows * 3 * width * sizeof(float));
  desk->heads = take(from, rows * width * sizeof(float));
  desk->inner = take(from, rows * shape->inner * sizeof(float));
  desk->scores = take(from, keys * sizeof(float));
  desk->eights.values = take(from, rows * widest);
  desk->eights.words = take(from, rows * width * sizeof(int16_t));
  desk->eights.uppers = (uint8_t *)desk->eights.words;
  desk->eights.scales = take(from, rows * sizeof(float));
  desk->eights.lows = take(from, rows * sizeof(float));
  desk->queries = take(from, (keys + MOST_ROWS) * depth * sizeof(int16_t));
  desk->keys = take(from, keys * depth * sizeof(int16_t));
  desk->contents = take(from, keys * depth * sizeof(int16_t));
  desk->shares = take(from, MOST_ROWS * keys * sizeof(int16_t));
  desk->panel = take(from, 16 * width * sizeof(int16_t));
  desk->sums = take(from, MOST_ROWS * keys * sizeof(int32_t));
}

static size_t desk_bytes(const work *work) {
  eights_desk desk;
  arena counted = {0};
  furnish(&desk, &counted, work);
  return counted.used;
}

static bool fits(const cencoder_shape *shape) {
  return shape->width % (shape->heads * 16) == 0 && shape->width / shape->heads <= 64 && shape->inner % 16 == 0;
}

/// Panels of 16 outputs; in a panel four inputs of each output lie side by side, then the next four.
static void spread_out(char *panels, size_t output, const int8_t *row, size_t inputs) {
  char *panel = panels + output / 16 * 16 * inputs + output % 16 * 4;
  for (size_t four = 0; four < inputs / 4; four++) memcpy(panel + four * 64, row + four * 4, 4);
}

/// AVX2 adds products of two pairs of bytes in 16 bits, which hold 128 * 255 and not 129 * 255: so no two neighbours may exceed 128.
/// Few rows have their largest weights side by side, and lose less than half a bit by it.
static void pack(matrix *to, size_t output, const float *row, size_t inputs) {
  int8_t bytes[16384];
  float most = 1e-30f;
  int32_t sum = 0;
  for (size_t i = 0; i < inputs; i += 2) most = fmaxf(most, fabsf(row[i]) + fabsf(row[i + 1]));
  for (size_t i = 0; i < inputs; i++) {
    bytes[i] = (int8_t)lrintf(row[i] * (127 / most));
    sum += bytes[i];
  }
  spread_out(to->panels, output, bytes, inputs);
  to->scales[output] = most / 127;
  to->wholes[output] = sum;
  to->sums[output] = most / 127 * (float)sum;
}

// Functions of sixteen floats are made anew for each kind of processor: vectors so wide are handed over only between functions of
// one kind.
#define spread NAME(spread)
#define chosen NAME(chosen)
#define greater NAME(greater)
#define lesser NAME(lesser)
#define rounded NAME(rounded)
#define greatest NAME(greatest)
#define total NAME(total)
#define exponential NAME(exponential)
#define gelu NAME(gelu)

// MARK: Kinds of processor

#if defined(__x86_64__)
#include <immintrin.h>

#define BROADCAST(from, kind) ({ int32_t four; memcpy(&four, from, 4); kind(four); })

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
static bool runs_avx2(void) { return __builtin_cpu_supports("avx2"); }
#define NAME(what) what##_avx2
#define WAY cencoder_avx2
#define NAMED "avx2"
#define NATIVE __m256i
#define FLIPPED 0
#define ROWS 4
#define WIDEST 1
#define SPREAD(from) BROADCAST(from, _mm256_set1_epi32)
#define WORDS 1
#define DOT8(sum, value, weight) DOT16(sum, _mm256_maddubs_epi16(value, weight), _mm256_set1_epi16(1))
#define DOT16(sum, value, weight) _mm256_add_epi32(sum, _mm256_madd_epi16(value, weight))
#include "EightsBody.h"
#pragma clang attribute pop

// The same instructions in the form of client processors, and in that of servers: only one of them is there, or both.
#pragma clang attribute push(__attribute__((target("avx2,avxvnni"))), apply_to = function)
static bool runs_avxvnni(void) { return __builtin_cpu_supports("avxvnni"); }
#define NAME(what) what##_avxvnni
#define WAY cencoder_avxvnni
#define NAMED "avxvnni"
#define NATIVE __m256i
#define FLIPPED 0
#define WORDS 0
#define ROWS 6
#define WIDEST 1
#define SPREAD(from) BROADCAST(from, _mm256_set1_epi32)
#define DOT8(sum, value, weight) _mm256_dpbusd_avx_epi32(sum, value, weight)
#define DOT16(sum, value, weight) _mm256_dpwssd_avx_epi32(sum, value, weight)
#include "EightsBody.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512vnni"))), apply_to = function)
static bool runs_avx512vl(void) { return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"); }
#define NAME(what) what##_avx512vl
#define WAY cencoder_avx512vl
#define NAMED "avxvnni"
#define NATIVE __m256i
#define FLIPPED 0
#define WORDS 0
#define ROWS 6
#define WIDEST 1
#define SPREAD(from) BROADCAST(from, _mm256_set1_epi32)
#define DOT8(sum, value, weight) _mm256_dpbusd_epi32(sum, value, weight)
#define DOT16(sum, value, weight) _mm256_dpwssd_epi32(sum, value, weight)
#include "EightsBody.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), \
                             apply_to = function)
static bool runs_avx512vnni(void) {
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#define NAME(what) what##_avx512vnni
#define WAY cencoder_avx512vnni
#define NAMED "avx512vnni"
#define NATIVE __m512i
#define FLIPPED 0
#define WORDS 0
#define ROWS 6
#define WIDEST 4
#define SPREAD(from) BROADCAST(from, _mm512_set1_epi32)
#define DOT8(sum, value, weight) _mm512_dpbusd_epi32(sum, value, weight)
#define DOT16(sum, value, weight) _mm512_dpwssd_epi32(sum, value, weight)
#include "EightsBody.h"
#pragma clang attribute pop

#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
static bool runs_dotprod(void) { return getauxval(AT_HWCAP) & HWCAP_ASIMDDP; }
static bool runs_i8mm(void) { return runs_dotprod() && getauxval(AT_HWCAP2) & HWCAP2_I8MM; }
#else
#include <sys/sysctl.h>
static bool has(const char *name) {
  int there = 0;
  size_t size = sizeof there;
  return sysctlbyname(name, &there, &size, NULL, 0) == 0 && there;
}
static bool runs_dotprod(void) { return has("hw.optional.arm.FEAT_DotProd"); }
static bool runs_i8mm(void) { return runs_dotprod() && has("hw.optional.arm.FEAT_I8MM"); }
#endif

#define BROADCAST(from) ({ int32_t four; memcpy(&four, from, 4); vdupq_n_s32(four); })

INLINE int32x4_t add16(int32x4_t sum, int32x4_t value, int32x4_t weight) {
  const int16x8_t a = vreinterpretq_s16_s32(value), b = vreinterpretq_s16_s32(weight);
  return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
}

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#define NAME(what) what##_dotprod
#define WAY cencoder_dotprod
#define NAMED "dotprod"
#define NATIVE int32x4_t
#define FLIPPED 128
#define WORDS 0
#define ROWS 6
#define WIDEST 1
#define SPREAD(from) BROADCAST(from)
#define DOT8(sum, value, weight) vdotq_s32(sum, vreinterpretq_s8_s32(value), vreinterpretq_s8_s32(weight))
#define DOT16(sum, value, weight) add16(sum, value, weight)
#include "EightsBody.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function)
#define NAME(what) what##_i8mm
#define WAY cencoder_i8mm
#define NAMED "i8mm"
#define NATIVE int32x4_t
#define FLIPPED 0
#define WORDS 0
#define ROWS 6
#define WIDEST 1
#define SPREAD(from) BROADCAST(from)
#define DOT8(sum, value, weight) vusdotq_s32(sum, vreinterpretq_u8_s32(value), vreinterpretq_s8_s32(weight))
#define DOT16(sum, value, weight) add16(sum, value, weight)
#include "EightsBody.h"
#pragma clang attribute pop
#endif

typedef int32_t four __attribute__((vector_size(16)));
typedef int32_t eight __attribute__((vector_size(32)));

INLINE four pairs(eight of) {
  return __builtin_shufflevector(of, of, 0, 2, 4, 6) + __builtin_shufflevector(of, of, 1, 3, 5, 7);
}

INLINE four plain8(four sum, four value, four weight) {
  typedef uint8_t unsigned16 __attribute__((vector_size(16)));
  typedef int8_t signed16 __attribute__((vector_size(16)));
  typedef int16_t short16 __attribute__((vector_size(32)));
  // 255 * 128 still fits.
  const eight products = (eight)(__builtin_convertvector((unsigned16)value, short16) *
                                 __builtin_convertvector((signed16)weight, short16));
  return sum + pairs((products << 16 >> 16) + (products >> 16));
}

INLINE four plain16(four sum, four value, four weight) {
  typedef int16_t short8 __attribute__((vector_size(16)));
  return sum + pairs(__builtin_convertvector((short8)value, eight) * __builtin_convertvector((short8)weight, eight));
}

static bool runs_plain(void) { return true; }
#define NAME(what) what##_plain
#define WAY cencoder_plain
#define NAMED "plain"
#define NATIVE four
#define FLIPPED 0
#define WORDS 0
#define ROWS 2
#define WIDEST 1
#define SPREAD(from) ({ int32_t value; memcpy(&value, from, 4); (four){value, value, value, value}; })
#define DOT8(sum, value, weight) plain8(sum, value, weight)
#define DOT16(sum, value, weight) plain16(sum, value, weight)
#include "EightsBody.h"
