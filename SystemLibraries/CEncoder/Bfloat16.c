#if defined(__x86_64__)
#include <math.h>
#include <string.h>
#include <time.h>

#include "Inside.h"
#include "Products.h"

static bool runs(void) {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

// Twelve sums, none of which waits for another, as in a tile.
#define HALVES(sum) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" sum "\n"
#define BYTES(sum) "vpdpbusd %%zmm30, %%zmm31, %%zmm" sum "\n"
#define TWELVE(times)                                                                                                   \
  times("0") times("1") times("2") times("3") times("4") times("5") times("6") times("7") times("8") times("9")        \
  times("10") times("11")
#define REPEATED(times)                                                                                                \
  __asm__ volatile("1:\n" TWELVE(times) "dec %0\n jnz 1b\n"                                                           \
                   : "+r"(left)                                                                                        \
                   :                                                                                                   \
                   : "cc", "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8", "zmm9", "zmm10",     \
                     "zmm11")

/// Nanoseconds of some thousand products.
WIDE static double pace(bool of_bytes) {
  struct timespec from, to;
  size_t left = 400;
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (of_bytes) REPEATED(BYTES);
  else REPEATED(HALVES);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

/// On AMD's Zen 4 texts are read as fast in bfloat16 as in eight bits; on Intel's Emerald Rapids a product of bfloat16 takes more than
/// four times as long as one of bytes, and eight bits are three times as fast. The least of many short trials: whatever else is at
/// work can only make one longer.
bool cencoder_bf16_lags(void) {
  static atomic_int known;  // 0 not yet, 1 no, 2 yes
  int answer = atomic_load(&known);
  if (answer == 0) {
    double halves = INFINITY, bytes = INFINITY;
    for (int i = 0; i < 20; i++) {
      halves = fmin(halves, pace(false));
      bytes = fmin(bytes, pace(true));
    }
    answer = halves > 2 * bytes ? 2 : 1;
    atomic_store(&known, answer);
  }
  return answer == 2;
}

static bool fits(const cencoder_shape *shape) {
  return shape->width % (shape->heads * 32) == 0 && shape->width / shape->heads <= COLUMNS &&
         shape->width % COLUMNS == 0 && shape->inner % COLUMNS == 0;
}

/// `count` is a multiple of 16.
WIDE static void narrow(const float *wide, size_t count, half *values) {
  for (size_t i = 0; i < count; i += 16)
    _mm256_storeu_si256((void *)(values + i), (__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(wide + i)));
}

/// Rows of outputs become panels of 64 outputs; in a panel two inputs of each output lie side by side, then the next two.
static void pack(matrix *to, size_t output, const float *wide, size_t inputs) {
  half row[16384];
  narrow(wide, inputs, row);
  half *panel = (half *)to->panels + output / COLUMNS * COLUMNS * inputs + output % COLUMNS * 2;
  for (size_t pair = 0; pair < inputs / 2; pair++) memcpy(panel + pair * COLUMNS * 2, row + pair * 2, 2 * sizeof(half));
}

// MARK: Attention

/// What one thread works in.
typedef struct {
  float *values, *scores;
  half *narrow, *qkv, *heads, *inner, *keys, *contents, *shares;
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

static size_t desk_bytes(const work *work) {
  desk desk;
  arena counted = {0};
  furnish(&desk, &counted, &work->encoder->shape, work->tokens_at_once, work->longest);
  return counted.used;
}

WIDE static bool encode(const work *work, char *memory, size_t from, size_t to) {
  const cencoder *encoder = work->encoder;
  const cencoder_shape *shape = &encoder->shape;
  size_t width = shape->width, origin = work->starts[from], rows = work->starts[to] - origin;
  desk place, *desk = &place;
  furnish(desk, &(arena){.memory = memory}, shape, work->tokens_at_once, work->longest);
  cencoder_begin(work, from, to, desk->values);
  normalise(desk->values, rows, width, encoder->start_scale, encoder->start_shift, shape->epsilon, desk->narrow);
  for (size_t i = 0; i < shape->layers; i++) {
    if (work->stop(work->context)) return false;
    const layer *layer = encoder->layers + i;
    product(desk->narrow, rows, layer->qkv.panels, width, 3 * width, layer->qkv.bias, PLAIN, desk->qkv, NULL);
    for (size_t text = from; text < to; text++)
      attend(desk, shape, work->starts[text] - origin, work->starts[text + 1] - work->starts[text]);
    product(desk->heads, rows, layer->out.panels, width, width, layer->out.bias, ADDED, NULL, desk->values);
    normalise(desk->values, rows, width, layer->first_scale, layer->first_shift, shape->epsilon, desk->narrow);
    product(desk->narrow, rows, layer->up.panels, width, shape->inner, layer->up.bias, CURVED, desk->inner, NULL);
    product(desk->inner, rows, layer->down.panels, shape->inner, width, layer->down.bias, ADDED, NULL, desk->values);
    normalise(desk->values, rows, width, layer->second_scale, layer->second_shift, shape->epsilon, desk->narrow);
  }
  cencoder_keep(work, from, to, desk->values);
  return true;
}

const way cencoder_bf16 = {"bf16", runs, fits, sizeof(half), pack, desk_bytes, encode, NULL};
#endif
