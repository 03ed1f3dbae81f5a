// A BERT-like encoder (MiniLM and its kin): several texts at a time, without padding, each attending to itself alone. It computes in
// bfloat16 or, with whole numbers of eight bits, in what a processor has; all of the latter come to the same bytes.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cencoder cencoder;

typedef struct {
  size_t layers, width, heads, inner, positions;
  float epsilon;
} cencoder_shape;

/// How numbers lie in a file of weights; named as GGUF numbers them.
typedef enum { CENCODER_F32 = 0, CENCODER_F16 = 1, CENCODER_BF16 = 30 } cencoder_type;

/// Parts of one layer: matrices with one row for each output, and vectors.
typedef enum {
  CENCODER_QUERY, CENCODER_KEY, CENCODER_VALUE, CENCODER_OUT, CENCODER_UP, CENCODER_DOWN,
  CENCODER_QUERY_BIAS, CENCODER_KEY_BIAS, CENCODER_VALUE_BIAS, CENCODER_OUT_BIAS, CENCODER_UP_BIAS, CENCODER_DOWN_BIAS,
  CENCODER_FIRST_SCALE, CENCODER_FIRST_SHIFT, CENCODER_SECOND_SCALE, CENCODER_SECOND_SHIFT,
  CENCODER_PARTS
} cencoder_part;

/// Parts before the first layer. Words are not copied: their memory must outlive the encoder. The type is that of a text alone.
typedef enum {
  CENCODER_WORDS, CENCODER_POSITIONS, CENCODER_TYPE, CENCODER_START_SCALE, CENCODER_START_SHIFT
} cencoder_start;

/// The way to compute that is wanted by name, where this processor has it; otherwise the fastest that it has. NULL where it has none
/// that is worth while: the one named "plain", which every processor has, must be asked for, and in a build without optimisation all
/// but bfloat16 must.
const char *cencoder_way(const char *wanted);

/// Each way in turn, an empty name for what this processor does not have, then NULL.
const char *cencoder_way_at(size_t index);

/// Sums of products of rows of values and rows of weights as the named way computes them, to test it. Neighbouring weights may not
/// exceed 128 together. false where it does not compute in whole numbers.
bool cencoder_multiply(const char *way, const uint8_t *values, size_t rows, const int8_t *weights, size_t inputs,
                       size_t outputs, int32_t *sums);

/// NULL for a shape that the loops do not fit, for a way that this processor does not have, and where memory is short.
cencoder *cencoder_new(cencoder_shape shape, const char *way);
void cencoder_free(cencoder *encoder);

void cencoder_start_with(cencoder *encoder, cencoder_start part, const void *values, cencoder_type type);
void cencoder_take(cencoder *encoder, size_t layer, cencoder_part part, const void *values, cencoder_type type);

typedef enum { CENCODER_DONE, CENCODER_STOPPED, CENCODER_NO_MEMORY } cencoder_end;

/// The mean of each text's token vectors, text after text, in `vectors`. Text i is tokens[starts[i]] to tokens[starts[i + 1] - 1];
/// group g, computed at a time by one thread, is texts groups[g] to groups[g + 1] - 1. `stop` is asked again and again, by any
/// thread.
cencoder_end cencoder_run(const cencoder *encoder, const int32_t *tokens, const size_t *starts, const size_t *groups,
                          size_t count, size_t threads, float *vectors,
                          bool (*stop)(const void *), const void *context);
