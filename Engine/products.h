// Products of Q8_0 weights with tokens, for processors with AVX-512 VNNI, and which way products and attention go. Included by ggml-cpu.c.
//
// ggml multiplies Q8_0 row by row, 32 products at a time, with instructions for signs and for bringing the sums to floats after
// each. Here sixteen rows lie side by side, so that one instruction makes 64 products for them, and twelve tokens go over them
// at once. Rows are laid out anew for every batch, in room for one tile a thread: the file's weights stay mapped as they are. A lone
// token goes over the rows as they lie and comes to the very sums that it would come to among others, so that drafts can be
// verified in batches.
//
// K-quants go ggml's tiles where a prompt has eight tokens or more. Fewer are multiplied here, row by row, with registers twice as
// wide as ggml's, a draft's tokens exactly as a lone one.
#pragma once

// How many tokens a batch has at least that is multiplied here, and that goes by ggml's tiles (attention, and products of K-quants),
// where a token among others comes to other sums than alone. Said before an evaluation, by the thread that evaluates: it knows
// whether that may be.
static _Thread_local int libera_fewest_products = 1, libera_fewest_in_tiles = 32;
__attribute__((visibility("default"))) void libera_batches_from(int products, int tiles);
void libera_batches_from(int products, int tiles) {
    libera_fewest_products = products;
    libera_fewest_in_tiles = tiles;
}

// The last of an operation's parameters, none of which is ggml's: how it was planned to go. Plans are made by the thread that
// evaluates.
enum { LIBERA_PLANNED = GGML_MAX_OP_PARAMS / sizeof(int32_t) - 1 };
enum { LIBERA_BY_ROWS = 0, LIBERA_OWN_WAY = 1, LIBERA_BY_TILES = 2 };

static void libera_plan_attention(struct ggml_tensor * dst) {
    dst->op_params[LIBERA_PLANNED] = dst->src[0]->ne[1] >= MIN(libera_fewest_in_tiles, GGML_FA_TILE_Q) ? LIBERA_OWN_WAY : LIBERA_BY_ROWS;
}

// ggml's tiles pay from eight tokens on.
static bool libera_fill_tiles(const struct ggml_tensor * tokens) { return tokens->ne[1] >= MAX(8, libera_fewest_in_tiles); }

static void libera_plan_ggml(struct ggml_tensor * dst) {
    dst->op_params[LIBERA_PLANNED] = libera_fill_tiles(dst->src[1]) ? LIBERA_BY_TILES : LIBERA_BY_ROWS;
}

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
#include <immintrin.h>

enum { LIBERA_ROWS = 16, LIBERA_TOKENS = 12, LIBERA_BLOCK = 32 };

// A block of 32 weights of sixteen rows: four of each row, sixteen rows, eight times.
struct libera_rows {
    int8_t weights[8][LIBERA_ROWS * 4];
    int32_t offset[LIBERA_ROWS]; // -128 times the sum of a row's weights: the tokens' values are stored 128 higher
    float scale[LIBERA_ROWS];
};

// The same 32 places of twelve tokens.
struct libera_tokens {
    uint8_t values[LIBERA_TOKENS][LIBERA_BLOCK];
    float scale[LIBERA_TOKENS];
    float unused[4];
};

static bool libera_products_fit(const struct ggml_tensor * dst) {
    const struct ggml_tensor * weights = dst->src[0];
    const struct ggml_tensor * tokens = dst->src[1];
    const bool is_k = weights->type == GGML_TYPE_Q4_K || weights->type == GGML_TYPE_Q6_K;
    return (weights->type == GGML_TYPE_Q8_0 || (is_k && !libera_fill_tiles(tokens))) && tokens->type == GGML_TYPE_F32 &&
        dst->type == GGML_TYPE_F32 && tokens->ne[1] >= libera_fewest_products && ggml_nrows(weights) == weights->ne[1] &&
        ggml_nrows(tokens) == tokens->ne[1] && weights->nb[0] == ggml_type_size(weights->type) &&
        tokens->nb[0] == sizeof(float) && dst->nb[0] == sizeof(float);
}

static int64_t libera_panels(const struct ggml_tensor * dst) {
    return (dst->src[1]->ne[1] + LIBERA_TOKENS - 1) / LIBERA_TOKENS;
}

// How many tokens are multiplied where so many are left: the widths that are written out.
static int libera_width(int64_t left) { return left > 8 ? 12 : left > 4 ? 8 : left > 2 ? 4 : (int) left; }

// Room for a product that is to be made here; asked for while it is planned.
static size_t libera_products_size(int threads, struct ggml_tensor * dst) {
    const int64_t blocks = dst->src[0]->ne[0] / LIBERA_BLOCK;
    libera_plan_ggml(dst);
    if (!libera_products_fit(dst)) return 0;
    dst->op_params[LIBERA_PLANNED] = LIBERA_OWN_WAY;
    if (dst->src[0]->type != GGML_TYPE_Q8_0) return dst->src[1]->ne[1] * (dst->src[0]->ne[0] / QK_K) * sizeof(block_q8_K);
    return blocks * (libera_panels(dst) * sizeof(struct libera_tokens) + threads * sizeof(struct libera_rows)) + 64;
}

// Up to twelve tokens, each block of them rounded to 127 steps exactly as ggml does; places without a token are zero.
static void libera_lay_tokens(struct libera_tokens * panel, const char * row, size_t stride, int count, int64_t blocks) {
    for (int token = 0; token < libera_width(count); token++, row += stride) {
        for (int64_t block = 0; block < blocks; block++) {
            __m512 low = _mm512_setzero_ps(), high = low;
            if (token < count) {
                low = _mm512_loadu_ps((const float *) row + block * LIBERA_BLOCK);
                high = _mm512_loadu_ps((const float *) row + block * LIBERA_BLOCK + 16);
            }
            const float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(low), _mm512_abs_ps(high)));
            const __m512 steps = _mm512_set1_ps(most > 1e-30f ? 127 / most : 0);
            const __m128i bytes[2] = {
                _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(low, steps))),
                _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(high, steps))),
            };
            const __m128i higher = _mm_set1_epi8((char) 0x80);
            _mm_storeu_si128((__m128i *) panel[block].values[token], _mm_xor_si128(bytes[0], higher));
            _mm_storeu_si128((__m128i *) (panel[block].values[token] + 16), _mm_xor_si128(bytes[1], higher));
            panel[block].scale[token] = _cvtsh_ss(_cvtss_sh(most / 127, _MM_FROUND_TO_NEAREST_INT)); // as a Q8_0 block keeps it
        }
    }
}

// Rows that lie one after the other come from memory three times as fast when they are first read from end to end: sixteen abreast
// the processor does not see what comes next.
static void libera_fetch(const char * rows, size_t bytes) {
    __m512i seen = _mm512_setzero_si512();
    for (size_t at = 0; at + 8 <= bytes; at += 64) seen = _mm512_or_si512(seen, _mm512_castsi128_si512(_mm_loadu_si64(rows + at)));
    __asm__ volatile("" : : "v"(seen));
}

// Calls for so many more blocks' worth of the rows that come next, so that memory works while these are laid out or multiplied.
static inline const char * libera_call(const char * ahead, int blocks) {
    if (!ahead) return NULL;
    const size_t bytes = blocks * LIBERA_ROWS * sizeof(block_q8_0);
    for (size_t at = 0; at < bytes; at += 64) _mm_prefetch(ahead + at, _MM_HINT_T1);
    return ahead + bytes;
}

// Sixteen rows (the last one again where there are fewer), each block turned from rows of eight fours to fours of sixteen rows.
static void libera_lay_rows(
    struct libera_rows * tile, const char * weights, size_t stride, int count, int64_t blocks, const char * ahead) {
    const block_q8_0 * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) {
        rows[row] = (const block_q8_0 *) (weights + stride * (row < count ? row : count - 1));
    }
    const __m512i first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    const __m512i higher = _mm512_set1_epi8((char) 0x80);
    for (int64_t block = 0; block < blocks; block++, tile++) {
        ahead = libera_call(ahead, 1);
        __m512i whole[8], pairs[8], fours[8], turned[8];
        ggml_fp16_t scale[LIBERA_ROWS];
        for (int row = 0; row < LIBERA_ROWS; row++) scale[row] = rows[row][block].d;
        for (int row = 0; row < 8; row++) { // row and row + 8 are the halves of one register
            whole[row] = _mm512_inserti64x4(
                _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *) rows[row][block].qs)),
                _mm256_loadu_si256((const __m256i *) rows[row + 8][block].qs), 1);
        }
        for (int row = 0; row < 8; row += 2) {
            pairs[row] = _mm512_unpacklo_epi32(whole[row], whole[row + 1]);
            pairs[row + 1] = _mm512_unpackhi_epi32(whole[row], whole[row + 1]);
        }
        for (int row = 0; row < 8; row += 4) {
            fours[row] = _mm512_unpacklo_epi64(pairs[row], pairs[row + 2]);
            fours[row + 1] = _mm512_unpackhi_epi64(pairs[row], pairs[row + 2]);
            fours[row + 2] = _mm512_unpacklo_epi64(pairs[row + 1], pairs[row + 3]);
            fours[row + 3] = _mm512_unpackhi_epi64(pairs[row + 1], pairs[row + 3]);
        }
        for (int four = 0; four < 4; four++) {
            turned[four] = _mm512_permutex2var_epi64(fours[four], first, fours[four + 4]);
            turned[four + 4] = _mm512_permutex2var_epi64(fours[four], second, fours[four + 4]);
        }
        __m512i sum = _mm512_setzero_si512();
        for (int four = 0; four < 8; four++) {
            _mm512_storeu_si512(tile->weights[four], turned[four]);
            sum = _mm512_dpbusd_epi32(sum, higher, turned[four]);
        }
        _mm512_storeu_si512(tile->offset, _mm512_sub_epi32(_mm512_setzero_si512(), sum));
        _mm512_storeu_ps(tile->scale, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) scale)));
    }
}

// The products of sixteen rows with `width` tokens, a constant wherever this is written out.
static inline __attribute__((always_inline)) void libera_multiply(
    const int width, const struct libera_rows * tile, const struct libera_tokens * panel, int64_t blocks, char * result,
    size_t stride, int tokens, int rows) {
    __m512 sums[LIBERA_TOKENS];
#pragma GCC unroll 12
    for (int token = 0; token < width; token++) sums[token] = _mm512_setzero_ps();
    for (int64_t block = 0; block < blocks; block++, tile++, panel++) {
        __m512i parts[LIBERA_TOKENS];
        const __m512i offset = _mm512_loadu_si512(tile->offset);
#pragma GCC unroll 12
        for (int token = 0; token < width; token++) parts[token] = offset;
#pragma GCC unroll 8
        for (int four = 0; four < 8; four++) {
            const __m512i weights = _mm512_loadu_si512(tile->weights[four]);
#pragma GCC unroll 12
            for (int token = 0; token < width; token++) {
                int values;
                memcpy(&values, panel->values[token] + 4 * four, 4);
                parts[token] = _mm512_dpbusd_epi32(parts[token], _mm512_set1_epi32(values), weights);
            }
        }
        const __m512 scale = _mm512_loadu_ps(tile->scale);
#pragma GCC unroll 12
        for (int token = 0; token < width; token++) {
            sums[token] = _mm512_fmadd_ps(
                _mm512_cvtepi32_ps(parts[token]), _mm512_mul_ps(scale, _mm512_set1_ps(panel->scale[token])), sums[token]);
        }
    }
    const __mmask16 written = (__mmask16) ((1u << rows) - 1);
#pragma GCC unroll 12
    for (int token = 0; token < width; token++) {
        if (token < tokens) _mm512_mask_storeu_ps((float *) (result + token * stride), written, sums[token]);
    }
}

// The sums of four rows' sixteen numbers, each of its two blocks by itself, in one quarter of a register for each half of a block.
static inline __m512i libera_sum_rows(const __m512i rows[4]) {
    const __m512i first = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[0], rows[1]), _mm512_unpackhi_epi32(rows[0], rows[1]));
    const __m512i second = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[2], rows[3]), _mm512_unpackhi_epi32(rows[2], rows[3]));
    return _mm512_add_epi32(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
}

// The products of sixteen rows, as they lie, with one token: two blocks at once, and the same steps from the whole numbers on as
// above. Here the weights are stored 128 higher instead of the token's values.
static void libera_multiply_one(
    const char * weights, size_t stride, int count, const struct libera_tokens * token, int64_t blocks, float * result,
    const char * ahead) {
    const char * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) rows[row] = weights + stride * (row < count ? row : count - 1);
    const __m512i higher = _mm512_set1_epi8((char) 0x80);
    __m512 sum = _mm512_setzero_ps();
    for (int64_t block = 0; block < blocks; block += 2) {
        const int64_t other = block + 1 < blocks ? block + 1 : block;
        ahead = libera_call(ahead, 2);
        const __m512i values = _mm512_xor_si512(higher, _mm512_inserti64x4(
            _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *) token[block].values[0])),
            _mm256_loadu_si256((const __m256i *) token[other].values[0]), 1));
        const __m512i offset = _mm512_sub_epi32(
            _mm512_setzero_si512(), _mm512_dpbusd_epi32(_mm512_setzero_si512(), higher, values));
        ggml_fp16_t scale[2][LIBERA_ROWS];
        __m512i fours[4];
        for (int four = 0; four < 4; four++) {
            __m512i parts[4];
            for (int row = 0; row < 4; row++) {
                const block_q8_0 * here = (const block_q8_0 *) rows[4 * four + row];
                scale[0][4 * four + row] = here[block].d;
                scale[1][4 * four + row] = here[other].d;
                const __m512i both = _mm512_inserti64x4(
                    _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *) here[block].qs)),
                    _mm256_loadu_si256((const __m256i *) here[other].qs), 1);
                parts[row] = _mm512_dpbusd_epi32(offset, _mm512_xor_si512(both, higher), values);
            }
            fours[four] = libera_sum_rows(parts);
        }
        const __m512i low = _mm512_add_epi32(
            _mm512_shuffle_i32x4(fours[0], fours[1], 0x88), _mm512_shuffle_i32x4(fours[0], fours[1], 0xdd));
        const __m512i high = _mm512_add_epi32(
            _mm512_shuffle_i32x4(fours[2], fours[3], 0x88), _mm512_shuffle_i32x4(fours[2], fours[3], 0xdd));
        const __m512i sums[2] = {_mm512_shuffle_i32x4(low, high, 0x88), _mm512_shuffle_i32x4(low, high, 0xdd)};
        for (int half = 0; half < 1 + (other > block); half++) {
            const __m512 scales = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) scale[half]));
            sum = _mm512_fmadd_ps(
                _mm512_cvtepi32_ps(sums[half]), _mm512_mul_ps(scales, _mm512_set1_ps(token[block + half].scale[0])), sum);
        }
    }
    _mm512_mask_storeu_ps(result, (__mmask16) ((1u << count) - 1), sum);
}

// The values of a token as Q4_K's nibbles lie: the lower ones of 64 bytes, then the upper ones; and the sums of 32 values each.
static void libera_turn_for_q4_K(block_q8_K * token) {
    const __m128i sums = _mm_hadd_epi16(
        _mm_loadu_si128((const __m128i *) token->bsums), _mm_loadu_si128((const __m128i *) token->bsums + 1));
    _mm_storeu_si128((__m128i *) token->bsums, sums);
    for (int half = 0; half < 2; half++) {
        const __m512i first = _mm512_loadu_si512(token->qs + 128 * half), second = _mm512_loadu_si512(token->qs + 128 * half + 64);
        _mm512_storeu_si512(token->qs + 128 * half, _mm512_shuffle_i64x2(first, second, 0x44));
        _mm512_storeu_si512(token->qs + 128 * half + 64, _mm512_shuffle_i64x2(first, second, 0xee));
    }
}

// A row of Q4_K with a token: 64 weights at once, of two scales.
static float libera_dot_q4_K(const block_q4_K * row, const block_q8_K * token, int64_t blocks) {
    const __m512i nibbles = _mm512_set1_epi8(15);
    const __m512i halves = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(2), 1);
    // Eight scales and eight least values, of six bits: four each as they are, four in two pieces.
    const __m128i lower = _mm_setr_epi8(4, 5, 6, 7, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i upper = _mm_setr_epi8(-1, -1, -1, -1, 4, 5, 6, 7, -1, -1, -1, -1, 8, 9, 10, 11);
    const __m128i kept = _mm_setr_epi32(0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f), fours = _mm_setr_epi32(0, 0, 0, 4);
    __m512 sum = _mm512_setzero_ps();
    __m128 least = _mm_setzero_ps();
    for (int64_t block = 0; block < blocks; block++, row++, token++) {
        const __m128i head = _mm_loadu_si128((const __m128i *) row);
        const __m128i pieces = _mm_and_si128(_mm_srli_epi32(_mm_shuffle_epi8(head, upper), 2), _mm_set1_epi8(0x30));
        const __m256i scales = _mm256_cvtepu8_epi16(
            _mm_or_si128(pieces, _mm_and_si128(kept, _mm_srlv_epi32(_mm_shuffle_epi8(head, lower), fours))));
        __m512i parts = _mm512_setzero_si512();
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            const __m512i bytes = _mm512_loadu_si512(row->qs + 64 * half);
            const __m512i weights[2] = {_mm512_and_si512(bytes, nibbles), _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibbles)};
#pragma GCC unroll 2
            for (int part = 0; part < 2; part++) {
                const __m512i products = _mm512_maddubs_epi16(weights[part], _mm512_loadu_si512(token->qs + 128 * half + 64 * part));
                const __m512i place = _mm512_add_epi16(halves, _mm512_set1_epi16((short) (4 * half + part)));
                parts = _mm512_dpwssd_epi32(parts, products, _mm512_permutexvar_epi16(place, _mm512_castsi256_si512(scales)));
            }
        }
        const __m128 factors = _mm_mul_ps(_mm_cvtph_ps(head), _mm_set1_ps(token->d)); // of the scales, of the least values
        sum = _mm512_fmadd_ps(_mm512_broadcastss_ps(factors), _mm512_cvtepi32_ps(parts), sum);
        const __m128i below = _mm_madd_epi16(_mm256_extracti128_si256(scales, 1), _mm_loadu_si128((const __m128i *) token->bsums));
        least = _mm_fmadd_ps(_mm_shuffle_ps(factors, factors, 0x55), _mm_cvtepi32_ps(below), least);
    }
    return _mm512_reduce_add_ps(_mm512_sub_ps(sum, _mm512_zextps128_ps512(least)));
}

// A row of Q6_K with a token: 64 weights at once, of four scales. They are stored 32 higher.
static float libera_dot_q6_K(const block_q6_K * row, const block_q8_K * token, int64_t blocks) {
    const __m512i nibbles = _mm512_set1_epi8(15), pairs = _mm512_set1_epi8(3), higher = _mm512_set1_epi8(0x30);
    const __m512i quarters = _mm512_set_epi64(
        0x0003000300030003, 0x0003000300030003, 0x0002000200020002, 0x0002000200020002, 0x0001000100010001, 0x0001000100010001, 0, 0);
    __m512 sum = _mm512_setzero_ps();
    for (int64_t block = 0; block < blocks; block++, row++, token++) {
        const __m256i scales = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *) row->scales));
        const __m256i offset = _mm256_madd_epi16(scales, _mm256_loadu_si256((const __m256i *) token->bsums));
        __m512i parts = _mm512_zextsi256_si512(_mm256_slli_epi32(_mm256_sub_epi32(_mm256_setzero_si256(), offset), 5));
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            const __m512i low = _mm512_loadu_si512(row->ql + 64 * half);
            const __m256i bits = _mm256_loadu_si256((const __m256i *) row->qh + half);
            const __m512i high = _mm512_inserti64x4(_mm512_castsi256_si512(bits), _mm256_srli_epi16(bits, 2), 1);
            const __m512i weights[2] = {
                _mm512_or_si512(_mm512_and_si512(low, nibbles), _mm512_slli_epi16(_mm512_and_si512(high, pairs), 4)),
                _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(low, 4), nibbles), _mm512_and_si512(high, higher)),
            };
#pragma GCC unroll 2
            for (int part = 0; part < 2; part++) {
                const int64_t at = 128 * half + 64 * part;
                const __m512i products = _mm512_maddubs_epi16(weights[part], _mm512_loadu_si512(token->qs + at));
                const __m512i place = _mm512_add_epi16(quarters, _mm512_set1_epi16((short) (at / 16)));
                parts = _mm512_dpwssd_epi32(parts, products, _mm512_permutexvar_epi16(place, _mm512_castsi256_si512(scales)));
            }
        }
        sum = _mm512_fmadd_ps(_mm512_set1_ps(token->d * _cvtsh_ss(row->d)), _mm512_cvtepi32_ps(parts), sum);
    }
    return _mm512_reduce_add_ps(sum);
}

// Sixteen rows at a time with each of the tokens, from the cache for all but the first of them.
static void libera_products_k(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    const struct ggml_tensor * weights = dst->src[0];
    const struct ggml_tensor * tokens = dst->src[1];
    const int64_t blocks = weights->ne[0] / QK_K, count = tokens->ne[1], all = count * blocks;
    block_q8_K * rounded = (block_q8_K *) params->wdata;
    for (int64_t at = all * params->ith / params->nth; at < all * (params->ith + 1) / params->nth; at++) {
        const char * token = (const char *) tokens->data + at / blocks * tokens->nb[1];
        quantize_row_q8_K((const float *) token + at % blocks * QK_K, rounded + at, QK_K);
        if (weights->type == GGML_TYPE_Q4_K) libera_turn_for_q4_K(rounded + at);
    }
    if (params->ith == 0) atomic_store_explicit(&params->threadpool->current_chunk, params->nth, memory_order_relaxed);
    ggml_barrier(params->threadpool);

    const size_t stride = weights->nb[1];
    int64_t number = params->ith, next;
    for (; number * LIBERA_ROWS < weights->ne[1]; number = next) {
        next = atomic_fetch_add_explicit(&params->threadpool->current_chunk, 1, memory_order_relaxed);
        const int64_t first = number * LIBERA_ROWS, end = MIN(first + LIBERA_ROWS, weights->ne[1]);
        const char * ahead = (next + 1) * LIBERA_ROWS < weights->ne[1] ? (const char *) weights->data + next * LIBERA_ROWS * stride : NULL;
        libera_fetch((const char *) weights->data + first * stride, (end - first) * stride);
        for (int64_t token = 0; token < count; token++) {
            float * result = (float *) ((char *) dst->data + token * dst->nb[1]);
            for (int64_t row = first; row < end; row++) {
                const void * here = (const char *) weights->data + row * stride;
                for (size_t at = 0; ahead && at < stride; at += 64) _mm_prefetch(ahead + (row - first) * stride + at, _MM_HINT_T1);
                result[row] = weights->type == GGML_TYPE_Q4_K ? libera_dot_q4_K(here, rounded + token * blocks, blocks)
                                                              : libera_dot_q6_K(here, rounded + token * blocks, blocks);
            }
        }
    }
}

static bool libera_products(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    if (params->use_ref || dst->op_params[LIBERA_PLANNED] != LIBERA_OWN_WAY) return false;
    const struct ggml_tensor * weights = dst->src[0];
    const struct ggml_tensor * tokens = dst->src[1];
    if (weights->type != GGML_TYPE_Q8_0) {
        libera_products_k(params, dst);
        return true;
    }
    const int64_t blocks = weights->ne[0] / LIBERA_BLOCK, panels = libera_panels(dst), count = tokens->ne[1];
    const int64_t tiles = (weights->ne[1] + LIBERA_ROWS - 1) / LIBERA_ROWS;
    struct libera_tokens * laid = (struct libera_tokens *) (((uintptr_t) params->wdata + 63) & ~(uintptr_t) 63);
    struct libera_rows * tile = (struct libera_rows *) (laid + panels * blocks) + params->ith * blocks;

    for (int64_t panel = params->ith; panel < panels; panel += params->nth) {
        const int64_t begin = panel * LIBERA_TOKENS;
        libera_lay_tokens(laid + panel * blocks, (const char *) tokens->data + begin * tokens->nb[1], tokens->nb[1],
            (int) MIN(LIBERA_TOKENS, count - begin), blocks);
    }
    if (params->ith == 0) atomic_store_explicit(&params->threadpool->current_chunk, params->nth, memory_order_relaxed);
    ggml_barrier(params->threadpool);

    int64_t number = params->ith, next; // each thread takes the next tile that nobody has: a slow one holds up nobody
    for (; number < tiles; number = next) {
        next = atomic_fetch_add_explicit(&params->threadpool->current_chunk, 1, memory_order_relaxed);
        const int64_t first = number * LIBERA_ROWS;
        const int rows = (int) MIN(LIBERA_ROWS, weights->ne[1] - first);
        const char * here = (const char *) weights->data + first * weights->nb[1];
        const char * ahead = next < tiles - 1 ? (const char *) weights->data + next * LIBERA_ROWS * weights->nb[1] : NULL;
        libera_fetch(here, rows * weights->nb[1]);
        if (count == 1) {
            libera_multiply_one(here, weights->nb[1], rows, laid, blocks, (float *) dst->data + first, ahead);
            continue;
        }
        libera_lay_rows(tile, here, weights->nb[1], rows, blocks, ahead);
        for (int64_t panel = 0; panel < panels; panel++) {
            const int64_t begin = panel * LIBERA_TOKENS;
            const int left = (int) MIN(LIBERA_TOKENS, count - begin);
            char * result = (char *) dst->data + begin * dst->nb[1] + first * sizeof(float);
            const struct libera_tokens * group = laid + panel * blocks;
            switch (libera_width(left)) {
                case 12: libera_multiply(12, tile, group, blocks, result, dst->nb[1], left, rows); break;
                case 8: libera_multiply(8, tile, group, blocks, result, dst->nb[1], left, rows); break;
                case 4: libera_multiply(4, tile, group, blocks, result, dst->nb[1], left, rows); break;
                case 2: libera_multiply(2, tile, group, blocks, result, dst->nb[1], left, rows); break;
                default: libera_multiply(1, tile, group, blocks, result, dst->nb[1], left, rows);
            }
        }
    }
    return true;
}

#else // other processors multiply as ggml does

static size_t libera_products_size(int threads, struct ggml_tensor * dst) {
    (void) threads;
    libera_plan_ggml(dst);
    return 0;
}
static bool libera_products(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    (void) params; (void) dst; return false;
}

#endif
