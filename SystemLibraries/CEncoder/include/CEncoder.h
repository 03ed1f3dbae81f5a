// A BERT-like encoder (MiniLM and its kin) for processors that multiply bfloat16: several texts at a time, without padding, each
// attending to itself alone.
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

/// Whether this processor has the instructions.
bool cencoder_works(void);

/// NULL for a shape that the loops do not fit, and where memory is short.
cencoder *cencoder_new(cencoder_shape shape);
void cencoder_free(cencoder *encoder);

void cencoder_start_with(cencoder *encoder, cencoder_start part, const void *values, cencoder_type type);
void cencoder_take(cencoder *encoder, size_t layer, cencoder_part part, const void *values, cencoder_type type);

/// A matrix with what an adapter adds to it: `up` (outputs times rank, f16) times `down` (rank times inputs, f16). `merged` has room
/// for all of it as floats.
void cencoder_merge(const void *values, cencoder_type type, const uint16_t *down, const uint16_t *up, size_t rank,
                    size_t inputs, size_t outputs, float *merged);

typedef enum { CENCODER_DONE, CENCODER_STOPPED, CENCODER_NO_MEMORY } cencoder_end;

/// What is wanted: the mean of each text's token vectors, text after text, or the vectors of all tokens.
typedef enum { CENCODER_MEANS, CENCODER_TOKENS } cencoder_wanted;

/// What is wanted, in `vectors`. Text i is tokens[starts[i]] to tokens[starts[i + 1] - 1];
/// group g, computed at a time by one thread, is texts groups[g] to groups[g + 1] - 1. `stop` is asked again and again, by any
/// thread.
cencoder_end cencoder_run(const cencoder *encoder, const int32_t *tokens, const size_t *starts, const size_t *groups,
                          size_t count, size_t threads, cencoder_wanted wanted, float *vectors,
                          bool (*stop)(const void *), const void *context);
