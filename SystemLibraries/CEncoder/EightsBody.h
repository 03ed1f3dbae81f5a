// The encoder in eight bits, included once for each kind of processor: weights in 8 bits with a scale for each row of outputs,
// values in 8 bits with a scale and a lowest value for each token, attention in 12 to 15 bits, sums of products in whole numbers,
// everything else in floats, in one order and never fused. So all kinds compute the same bytes.
//
// The including file says what a native vector is (NATIVE, bytes in it), how four bytes are spread over it (SPREAD), what adds
// products of four pairs of bytes (DOT8) and of two pairs of 16 bits (DOT16) to 32-bit sums, and the shape of a tile: ROWS, and
// WIDEST times 16 columns. Where DOT8 takes as many multiplications as two of DOT16, fine rows are multiplied as 16 bits in one go
// (WORDS), elsewhere as two bytes one after the other.

#include "EightsFloats.h"

enum { NAME(PARTS) = 64 / sizeof(NATIVE), NAME(STRIDE) = WIDEST * 16 };

// MARK: Products

INLINE void NAME(tile)(const char *rows, size_t stride, const char *panel, size_t apart, size_t steps, int32_t *sums,
                       const int panels, const bool eight) {
  const int parts = panels * NAME(PARTS);
  NATIVE all[ROWS][WIDEST * NAME(PARTS)], weights[WIDEST * NAME(PARTS)];
  memset(all, 0, sizeof all);
  for (size_t step = 0; step < steps; step++, panel += 64) {
    UNROLL for (int c = 0; c < parts; c++)
      memcpy(&weights[c], panel + c / NAME(PARTS) * apart + c % NAME(PARTS) * sizeof(NATIVE), sizeof(NATIVE));
    UNROLL for (int r = 0; r < ROWS; r++) {
      const NATIVE value = SPREAD(rows + r * stride + 4 * step);
      UNROLL for (int c = 0; c < parts; c++)
        all[r][c] = eight ? DOT8(all[r][c], value, weights[c]) : DOT16(all[r][c], value, weights[c]);
    }
  }
  UNROLL for (int r = 0; r < ROWS; r++)
    memcpy(sums + r * NAME(STRIDE), all[r], (size_t)panels * 64);
}

/// As many neighbouring panels as one tile takes: how many those were.
static size_t NAME(multiply8)(const char *rows, size_t stride, const char *panel, size_t apart, size_t steps, size_t left,
                              int32_t *sums) {
  if (WIDEST == 4 && left >= 4) return NAME(tile)(rows, stride, panel, apart, steps, sums, WIDEST, true), 4;
  return NAME(tile)(rows, stride, panel, apart, steps, sums, 1, true), 1;
}

static size_t NAME(multiply16)(const char *rows, size_t stride, const char *panel, size_t apart, size_t steps, size_t left,
                               int32_t *sums) {
  if (WIDEST == 4 && left >= 4) return NAME(tile)(rows, stride, panel, apart, steps, sums, WIDEST, false), 4;
  if (WIDEST >= 2 && left >= 2) return NAME(tile)(rows, stride, panel, apart, steps, sums, WIDEST / 2, false), 2;
  return NAME(tile)(rows, stride, panel, apart, steps, sums, 1, false), 1;
}

/// A panel's bytes as 16 bits: of each four inputs the first two of every output, then the others.
static void NAME(widen)(const char *panel, size_t inputs, int16_t *to) {
  for (size_t four = 0; four < inputs / 4; four++, to += 64) {
    const whole of = *(const whole *)(panel + 64 * four);
    *(loose_whole *)to = (of << 24 >> 24 & 0xFFFF) | of << 16 >> 24 << 16;
    *(loose_whole *)(to + 32) = (of << 8 >> 24 & 0xFFFF) | of >> 24 << 16;
  }
}

/// Fine rows as words times one widened panel.
static size_t NAME(multiply_words)(const int16_t *rows, const int16_t *panel, size_t inputs, int32_t *sums) {
  return NAME(multiply16)((const char *)rows, inputs * sizeof(int16_t), (const char *)panel, 0, inputs / 2, 1, sums);
}

/// `count` rows (read in whole tiles) times a packed matrix, plus bias.
static void NAME(product)(const eights_desk *desk, size_t count, const matrix *by, size_t inputs, size_t outputs, bool fine,
                          finish how, float *results) {
  const eights *of = &desk->eights;
  int32_t sums[ROWS * NAME(STRIDE)] __attribute__((aligned(64))), uppers[ROWS * NAME(STRIDE)] __attribute__((aligned(64)));
  const bool words = fine && WORDS, both = fine && !WORDS;
  size_t done = 0;
  for (size_t column = 0; column < outputs; column += 16 * done) {
    const char *panel = (const char *)by->panels + column * inputs;
    const size_t left = (outputs - column) / 16;
    if (words) NAME(widen)(panel, inputs, desk->panel);
    for (size_t row = 0; row < count; row += ROWS) {
      if (words)
        done = NAME(multiply_words)(of->words + row * inputs, desk->panel, inputs, sums);
      else
        done = NAME(multiply8)((const char *)of->values + row * inputs, inputs, panel, 16 * inputs, inputs / 4, left, sums);
      if (both)
        NAME(multiply8)((const char *)of->uppers + row * inputs, inputs, panel, 16 * inputs, inputs / 4, left, uppers);
      for (size_t r = 0; r < ROWS && row + r < count; r++) {
        const lanes scale = spread(of->scales[row + r]), low = spread(of->lows[row + r]);
        const size_t apart = how == SIXTEENS ? count : 1;
        float *to = how == SIXTEENS ? results + column * count + (row + r) * 16 : results + (row + r) * outputs + column;
        for (size_t c = 0; c < 16 * done; c += 16) {
          whole exact = *(const whole *)(sums + r * NAME(STRIDE) + c);
          if (both) exact += *(const whole *)(uppers + r * NAME(STRIDE) + c) << 8;
          // Where bytes are multiplied with a sign, 128 were taken from each.
          if (FLIPPED) exact += *(const loose_whole *)(by->wholes + column + c) * FLIPPED;
          lanes sum = __builtin_convertvector(exact, lanes);
          sum = sum * (LOAD(by->scales + column + c) * scale) +
                (LOAD(by->sums + column + c) * low + LOAD(by->bias + column + c));
          if (how == ADDED) sum = LOAD(to + c) + sum;
          if (how == CURVED) sum = gelu(sum);
          STORE(to + c * apart, sum);
        }
      }
    }
  }
}

/// Rows in 8 bits. What is added to a row that is the same everywhere is in its lowest value alone.
static void NAME(quantise)(const float *rows, size_t count, size_t width, bool fine, eights *to) {
  const float levels = fine ? FINE : 255;
  for (size_t row = 0; row < count; row++, rows += width) {
    lanes least = LOAD(rows), most = least;
    for (size_t i = 16; i < width; i += 16) least = lesser(least, LOAD(rows + i)), most = greater(most, LOAD(rows + i));
    const float low = -greatest(-least), span = greatest(most) - low;
    to->lows[row] = low;
    to->scales[row] = span / levels;
    const lanes steps = spread(span > 1e-30f ? levels / span : 0), lowest = spread(low);
    for (size_t i = 0; i < width; i += 16) {
      const whole nearest = rounded((LOAD(rows + i) - lowest) * steps);
      if (fine && WORDS) {
        *(shorts *)(to->words + row * width + i) = __builtin_convertvector(nearest, shorts);
        continue;
      }
      *(bytes *)(to->values + row * width + i) = __builtin_convertvector(nearest & 255, bytes) ^ FLIPPED;
      if (fine) *(bytes *)(to->uppers + row * width + i) = __builtin_convertvector(nearest >> 8, bytes);
    }
  }
}

static void NAME(normalise)(float *values, size_t rows, size_t width, const float *scale, const float *shift, float epsilon) {
  for (size_t row = 0; row < rows; row++, values += width) {
    lanes sum = spread(0), squares = spread(0);
    for (size_t i = 0; i < width; i += 16) sum += LOAD(values + i);
    const lanes mean = spread(total(sum) / (float)width);
    for (size_t i = 0; i < width; i += 16) {
      const lanes apart = LOAD(values + i) - mean;
      squares += apart * apart;
    }
    const lanes factor = spread(1 / sqrtf(total(squares) / (float)width + epsilon));
    for (size_t i = 0; i < width; i += 16)
      STORE(values + i, (LOAD(values + i) - mean) * factor * LOAD(scale + i) + LOAD(shift + i));
  }
}

// MARK: Attention

/// The greatest size among `depth` numbers of each row, never zero; sixteen of all rows lie together, `apart` rows before the next.
static float NAME(reach)(const float *rows, size_t count, size_t apart, size_t depth) {
  lanes most = spread(1e-30f);
  for (size_t i = 0; i < depth; i += 16)
    for (size_t row = 0; row < count; row++) {
      const lanes value = LOAD(rows + i * apart + row * 16);
      most = greater(most, greater(value, -value));
    }
  return greatest(most);
}

INLINE void NAME(shorten)(const float *from, size_t apart, size_t depth, float factor, int16_t *to) {
  for (size_t i = 0; i < depth; i += 16)
    *(shorts *)(to + i) = __builtin_convertvector(rounded(LOAD(from + i * apart) * spread(factor)), shorts);
}

/// Sums of one row to shares of 32,767 in all.
static void NAME(share)(const int32_t *sums, size_t count, size_t keys, float factor, float *scores, int16_t *shares) {
  lanes most = spread(-INFINITY), sum = spread(0);
  const whole order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (size_t i = 0; i < keys; i += 16) {
    const whole there = order < (int32_t)(count - i);
    const lanes score = __builtin_convertvector(*(const loose_whole *)(sums + i), lanes) * spread(factor);
    const lanes kept = chosen(there, score, spread(-INFINITY));
    STORE(scores + i, kept);
    most = greater(most, kept);
  }
  const lanes peak = spread(greatest(most));
  for (size_t i = 0; i < keys; i += 16) {
    // What is not there has an exponent that ends in zero.
    const lanes part = exponential(LOAD(scores + i) - peak);
    sum += part;
    STORE(scores + i, part);
  }
  NAME(shorten)(scores, 1, keys, 32767 / total(sum), shares);
}

/// One head of one text in whole numbers: rows of queries, panels of keys and of contents. What a sum of queries and keys, and one
/// of shares and contents, is to be multiplied with.
static void NAME(gather)(const eights_desk *desk, const float *query_from, size_t apart, size_t width, size_t count, size_t keys,
                         size_t depth, float factors[2]) {
  int16_t row[64] __attribute__((aligned(64)));
  const float *key_from = query_from + width * apart, *content_from = key_from + width * apart;
  const float query = NAME(reach)(query_from, count, apart, depth), key = NAME(reach)(key_from, count, apart, depth),
              content = NAME(reach)(content_from, count, apart, depth);
  factors[0] = query * key / (4095.0f * 4095.0f);
  factors[1] = content / (32767.0f * 32767.0f);
  for (size_t at = 0; at < count; at++, query_from += 16, key_from += 16, content_from += 16) {
    NAME(shorten)(query_from, apart, depth, 4095 / query, desk->queries + at * depth);
    NAME(shorten)(key_from, apart, depth, 4095 / key, row);
    int16_t *to = desk->keys + at / 16 * 16 * depth + at % 16 * 2;
    for (size_t pair = 0; pair < depth / 2; pair++) memcpy(to + pair * 32, row + pair * 2, 4);
    NAME(shorten)(content_from, apart, depth, 32767 / content, row);
    to = desk->contents + at / 2 * 32 + at % 2;
    for (size_t panel = 0; panel < depth / 16; panel++)
      for (size_t i = 0; i < 16; i++) to[panel * 16 * keys + 2 * i] = row[panel * 16 + i];
  }
}

/// One text's tokens look at one another: `first` is its first of all `rows`.
static void NAME(attend)(const eights_desk *desk, const cencoder_shape *shape, size_t rows, size_t first, size_t count) {
  const size_t width = shape->width, depth = width / shape->heads, keys = up_to(count, 16);
  int32_t sums[ROWS * NAME(STRIDE)] __attribute__((aligned(64)));
  memset(desk->keys, 0, keys * depth * sizeof(int16_t));
  memset(desk->contents, 0, keys * depth * sizeof(int16_t));
  for (size_t head = 0; head < shape->heads; head++) {
    float factors[2];
    NAME(gather)(desk, desk->qkv + head * depth * rows + first * 16, rows, width, count, keys, depth, factors);
    for (size_t row = 0; row < count; row += ROWS) {
      size_t done = 0;
      for (size_t column = 0; column < keys; column += 16 * done) {
        done = NAME(multiply16)((const char *)(desk->queries + row * depth), depth * sizeof(int16_t),
                                (const char *)(desk->keys + column * depth), 32 * depth, depth / 2, (keys - column) / 16, sums);
        for (size_t r = 0; r < ROWS; r++) memcpy(desk->sums + r * keys + column, sums + r * NAME(STRIDE), 64 * done);
      }
      for (size_t r = 0; r < ROWS; r++)
        NAME(share)(desk->sums + r * keys, count, keys, factors[0], desk->scores, desk->shares + r * keys);
      for (size_t column = 0; column < depth; column += 16 * done) {
        done = NAME(multiply16)((const char *)desk->shares, keys * sizeof(int16_t),
                                (const char *)(desk->contents + column * keys), 32 * keys, (count + 1) / 2,
                                (depth - column) / 16, sums);
        for (size_t r = 0; r < ROWS && row + r < count; r++)
          for (size_t c = 0; c < 16 * done; c += 16)
            STORE(desk->heads + (first + row + r) * width + head * depth + column + c,
                  __builtin_convertvector(*(const whole *)(sums + r * NAME(STRIDE) + c), lanes) * spread(factors[1]));
      }
    }
  }
}

// MARK: Whole texts

static bool NAME(encode)(const work *work, char *memory, size_t from, size_t to) {
  const cencoder *encoder = work->encoder;
  const cencoder_shape *shape = &encoder->shape;
  const size_t width = shape->width, inner = shape->inner, origin = work->starts[from], rows = work->starts[to] - origin;
  eights_desk desk;
  furnish(&desk, &(arena){.memory = memory}, work);
  cencoder_begin(work, from, to, desk.values);
  NAME(normalise)(desk.values, rows, width, encoder->start_scale, encoder->start_shift, shape->epsilon);
  for (size_t i = 0; i < shape->layers; i++) {
    if (work->stop(work->context)) return false;
    const layer *layer = encoder->layers + i;
    NAME(quantise)(desk.values, rows, width, true, &desk.eights);
    NAME(product)(&desk, rows, &layer->qkv, width, 3 * width, true, SIXTEENS, desk.qkv);
    for (size_t text = from; text < to; text++)
      NAME(attend)(&desk, shape, rows, work->starts[text] - origin, work->starts[text + 1] - work->starts[text]);
    NAME(quantise)(desk.heads, rows, width, false, &desk.eights);
    NAME(product)(&desk, rows, &layer->out, width, width, false, ADDED, desk.values);
    NAME(normalise)(desk.values, rows, width, layer->first_scale, layer->first_shift, shape->epsilon);
    NAME(quantise)(desk.values, rows, width, true, &desk.eights);
    NAME(product)(&desk, rows, &layer->up, width, inner, true, CURVED, desk.inner);
    NAME(quantise)(desk.inner, rows, inner, false, &desk.eights);
    NAME(product)(&desk, rows, &layer->down, inner, width, false, ADDED, desk.values);
    NAME(normalise)(desk.values, rows, width, layer->second_scale, layer->second_shift, shape->epsilon);
  }
  cencoder_keep(work, from, to, desk.values);
  return true;
}

/// The products alone, of rows that need not fill a tile.
static void NAME(sums)(const uint8_t *values, size_t rows, const int8_t *weights, size_t inputs, size_t outputs,
                       int32_t *results) {
  int32_t sums[ROWS * NAME(STRIDE)] __attribute__((aligned(64)));
  char *panels = aligned_alloc(64, up_to(inputs * outputs, 64)), *padded = calloc(rows + ROWS, inputs);
  for (size_t output = 0; panels && output < outputs; output++)
    spread_out(panels, output, weights + output * inputs, inputs);
  for (size_t i = 0; padded && i < rows * inputs; i++) padded[i] = (char)(values[i] ^ FLIPPED);
  size_t done = 0;
  for (size_t column = 0; panels && padded && column < outputs; column += 16 * done)
    for (size_t row = 0; row < rows; row += ROWS) {
      done = NAME(multiply8)(padded + row * inputs, inputs, panels + column * inputs, 16 * inputs, inputs / 4,
                             (outputs - column) / 16, sums);
      for (size_t r = 0; r < ROWS && row + r < rows; r++)
        for (size_t c = 0; c < 16 * done; c++) {
          int32_t lost = 0;
          for (size_t i = 0; FLIPPED && i < inputs; i++) lost += weights[(column + c) * inputs + i];
          results[(row + r) * outputs + column + c] = sums[r * NAME(STRIDE) + c] + FLIPPED * lost;
        }
    }
  free(panels);
  free(padded);
}

const way WAY = {
    NAMED, NAME(runs), fits, 1, pack, desk_bytes, NAME(encode), NAME(sums),
};

#undef NAME
#undef NAMED
#undef WAY
#undef FLIPPED
#undef NATIVE
#undef SPREAD
#undef DOT8
#undef DOT16
#undef WORDS
#undef ROWS
#undef WIDEST
