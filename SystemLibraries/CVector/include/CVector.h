// Inner loops of the vector search: portable C that the compiler turns into the widest instructions the processor has, and one
// loop written for AVX-512.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Stored form of a vector: 16-bit integers and one scale, so that value[i] = scale * stored[i]. Returns the scale.
float cvector_pack(const float *vector, size_t dimensions, int16_t *stored);

/// Sign bits of a stored vector into `code` (dimensions / 64 words). Returns the factor that turns a product with the signs
/// into an estimate of the product with the vector.
float cvector_sign(const int16_t *stored, float scale, size_t dimensions, uint64_t *code);

/// Splits a query into four bit planes (4 * dimensions / 64 words). Returns the weight of one step.
float cvector_planes(const float *query, size_t dimensions, uint64_t *planes);

/// Estimated products of `count` coded vectors with the query of `planes`.
void cvector_estimate(const uint64_t *codes, const float *factors, size_t words, size_t count, const uint64_t *planes,
                      float step, float sum, float *scores);

/// Exact products of stored vectors with a query.
void cvector_products(const int16_t *stored, const float *scales, size_t dimensions, size_t count, const float *query,
                      float *scores);

/// The value that `keep` of the `count` scores reach or exceed; reorders them.
float cvector_cut(float *scores, size_t count, size_t keep);
