// Products of Q8_0 and of Q4_1 weights with tokens, for processors with AVX-512 VNNI. Included by products.h.
//
// ggml multiplies row by row, 32 products at a time, with instructions for signs and for bringing the sums to floats after
// each. Here sixteen rows lie side by side, so that one instruction makes 64 products for them, and twelve tokens go over them
// at once. A lone token goes over the rows as they lie and comes to the very sums that it would come to among others. How rows of
// Q4_1 are laid is in fours.h.
#pragma once
#include <immintrin.h>

enum { LIBERA_ROWS = 16, LIBERA_TOKENS = 12, LIBERA_BLOCK = 32 };

// A block of 32 weights of sixteen rows: four of each row, sixteen rows, eight times. Of Q4_1 half as many bytes: the lower nibbles are
// the block's first sixteen weights, the upper ones its last.
struct libera_rows {
    int32_t offset[LIBERA_ROWS]; // -128 times the sum of a row's weights: the tokens' values are stored 128 higher
    float scale[LIBERA_ROWS];
    float least[LIBERA_ROWS]; // of Q4_1: what all of a row's weights are higher by
    int8_t weights[8][LIBERA_ROWS * 4];
};

// The same 32 places of twelve tokens. A lone one's values are stored as they are, not 128 higher.
struct libera_tokens {
    uint8_t values[LIBERA_TOKENS][LIBERA_BLOCK];
    float scale[LIBERA_TOKENS];
    float sum[LIBERA_TOKENS]; // of the 32 values as they are multiplied, which a row's least value is multiplied with
};

static bool libera_is_k(const struct ggml_tensor * dst) {
    return dst->src[0]->type == GGML_TYPE_Q4_K || dst->src[0]->type == GGML_TYPE_Q6_K;
}

static bool libera_products_fit(const struct ggml_tensor * dst) {
    const enum ggml_type type = dst->src[0]->type;
    const bool fits = libera_is_k(dst) ? !libera_fill_tiles(dst->src[1]) : type == GGML_TYPE_Q8_0 || type == GGML_TYPE_Q4_1;
    return fits && libera_is_plain(dst);
}

// How many tokens are multiplied where so many are left: the widths that are written out.
static int libera_width(int64_t left) { return left > 8 ? 12 : left > 4 ? 8 : left > 2 ? 4 : (int) left; }

// Up to twelve tokens, each block of them rounded to 127 steps exactly as ggml does; places without a token are zero.
static void libera_lay_tokens(
    struct libera_tokens * panel, const char * row, size_t stride, int count, int64_t blocks, bool alone) {
    const __m256i higher = _mm256_set1_epi8(alone ? 0 : (char) 0x80);
    for (int token = 0; token < libera_width(count); token++, row += stride) {
        for (int64_t block = 0; block < blocks; block++) {
            __m512 low = _mm512_setzero_ps(), high = low;
            if (token < count) {
                low = _mm512_loadu_ps((const float *) row + block * LIBERA_BLOCK);
                high = _mm512_loadu_ps((const float *) row + block * LIBERA_BLOCK + 16);
            }
            const float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(low), _mm512_abs_ps(high)));
            const __m512 steps = _mm512_set1_ps(most > 1e-30f ? 127 / most : 0);
            const __m256i bytes = _mm256_set_m128i(
                _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(high, steps))),
                _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(low, steps))));
            const __m256i fours = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), bytes);
            const float scale = _cvtsh_ss(_cvtss_sh(most / 127, _MM_FROUND_TO_NEAREST_INT)); // as a Q8_0 block keeps it
            _mm256_storeu_si256((__m256i *) panel[block].values[token], _mm256_xor_si256(bytes, higher));
            panel[block].scale[token] = scale;
            panel[block].sum[token] = scale * _mm512_reduce_add_epi32(_mm512_zextsi256_si512(fours));
        }
    }
}

#include "libera-tiles.h"

// Sixteen rows (the last one again where there are fewer), each block turned from rows of eight fours to fours of sixteen rows.
static void libera_lay_q8_0(
    struct libera_rows * tile, const char * weights, size_t stride, int count, int64_t blocks, const char * ahead) {
    const block_q8_0 * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) {
        rows[row] = (const block_q8_0 *) (weights + stride * (row < count ? row : count - 1));
    }
    const __m512i first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    const __m512i higher = _mm512_set1_epi8((char) 0x80);
    for (int64_t block = 0; block < blocks; block++, tile++) {
        ahead = libera_call(ahead, LIBERA_ROWS * sizeof(block_q8_0));
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

// From whole numbers on every product is brought to its sum in these steps.
static inline __m512 libera_add(__m512 sum, __m512i whole, __m512 scale, __m512 factor) {
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole), _mm512_mul_ps(scale, factor), sum);
}

// The sums of four rows' sixteen numbers, each of its two blocks by itself, in one quarter of a register for each half of a block.
static inline __m512i libera_sum_rows(const __m512i rows[4]) {
    const __m512i first = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[0], rows[1]), _mm512_unpackhi_epi32(rows[0], rows[1]));
    const __m512i second = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[2], rows[3]), _mm512_unpackhi_epi32(rows[2], rows[3]));
    return _mm512_add_epi32(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
}

#include "libera-fours.h"

// The products of sixteen rows with `width` tokens, a constant wherever this is written out, as `is_q4_1` is.
static inline __attribute__((always_inline)) void libera_multiply(
    const int width, const bool is_q4_1, const struct libera_rows * tile, const struct libera_tokens * panel, int64_t blocks,
    char * result, size_t stride, int tokens, int rows) {
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
            const int place = is_q4_1 ? four / 2 + four % 2 * 4 : four; // both nibbles of a byte one after the other
            const __m512i bytes = _mm512_loadu_si512(tile->weights[is_q4_1 ? four / 2 : four]);
            const __m512i weights = is_q4_1 ? libera_nibbles(bytes, four % 2) : bytes;
#pragma GCC unroll 12
            for (int token = 0; token < width; token++) {
                int values;
                memcpy(&values, panel->values[token] + 4 * place, 4);
                parts[token] = _mm512_dpbusd_epi32(parts[token], _mm512_set1_epi32(values), weights);
            }
        }
        const __m512 scale = _mm512_loadu_ps(tile->scale), least = _mm512_loadu_ps(tile->least);
#pragma GCC unroll 12
        for (int token = 0; token < width; token++) {
            sums[token] = libera_add(sums[token], parts[token], scale, _mm512_set1_ps(panel->scale[token]));
            if (is_q4_1) sums[token] = _mm512_fmadd_ps(least, _mm512_set1_ps(panel->sum[token]), sums[token]);
        }
    }
    const __mmask16 written = (__mmask16) ((1u << rows) - 1);
#pragma GCC unroll 12
    for (int token = 0; token < width; token++) {
        if (token < tokens) _mm512_mask_storeu_ps((float *) (result + token * stride), written, sums[token]);
    }
}

// The products of sixteen rows, as they lie, with one token: two blocks at once, and the same steps from the whole numbers on as
// above. Here the weights are brought 128 higher.
static void libera_multiply_one_q8_0(
    const char * weights, size_t stride, int count, const struct libera_tokens * token, int64_t blocks, float * result,
    const char * ahead) {
    const char * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) rows[row] = weights + stride * (row < count ? row : count - 1);
    const __m512i higher = _mm512_set1_epi8((char) 0x80);
    __m512 sum = _mm512_setzero_ps();
    for (int64_t block = 0; block < blocks; block += 2) {
        const int64_t other = block + 1 < blocks ? block + 1 : block;
        ahead = libera_call(ahead, 2 * LIBERA_ROWS * sizeof(block_q8_0));
        const __m512i values = _mm512_inserti64x4(
            _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *) token[block].values[0])),
            _mm256_loadu_si256((const __m256i *) token[other].values[0]), 1);
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
            sum = libera_add(sum, sums[half], scales, _mm512_set1_ps(token[block + half].scale[0]));
        }
    }
    _mm512_mask_storeu_ps(result, (__mmask16) ((1u << count) - 1), sum);
}

// Up to twelve tokens with sixteen rows.
#define LIBERA_WIDTH(WIDTH, IS_Q4_1) libera_multiply(WIDTH, IS_Q4_1, tile, panel, blocks, result, stride, tokens, rows)
static void libera_multiply_panel(
    bool are_nibbles, const struct libera_rows * tile, const struct libera_tokens * panel, int64_t blocks, char * result,
    size_t stride, int tokens, int rows) {
    const int width = libera_width(tokens);
    if (are_nibbles) {
        switch (width) {
            case 12: LIBERA_WIDTH(12, true); break;
            case 8: LIBERA_WIDTH(8, true); break;
            case 4: LIBERA_WIDTH(4, true); break;
            case 2: LIBERA_WIDTH(2, true); break;
            default: LIBERA_WIDTH(1, true);
        }
    } else {
        switch (width) {
            case 12: LIBERA_WIDTH(12, false); break;
            case 8: LIBERA_WIDTH(8, false); break;
            case 4: LIBERA_WIDTH(4, false); break;
            case 2: LIBERA_WIDTH(2, false); break;
            default: LIBERA_WIDTH(1, false);
        }
    }
}

#include "libera-kquants.h"

static size_t libera_products_room(int threads, const struct ggml_tensor * dst) {
    return libera_is_k(dst) ? libera_room_k(dst) : libera_room(threads, dst);
}

static void libera_make_products(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    if (libera_is_k(dst)) {
        libera_make_products_k(params, dst);
        return;
    }
    const struct libera_work work = libera_begin(params, dst);
    const size_t stride = dst->src[0]->nb[1];
    const bool is_q4_1 = dst->src[0]->type == GGML_TYPE_Q4_1;
    const bool in_steps = is_q4_1 && work.tokens >= LIBERA_STEPS_FROM && (dst->op_params[LIBERA_PLANNED] & LIBERA_BY_TILES);
    const bool is_alone = work.tokens == 1;
    for (struct libera_walk walk = libera_walk(params, work.tiles, is_alone ? 4 : 1); walk.at < walk.all; libera_go_on(&walk)) {
        const char * ahead = libera_ahead(dst, &walk);
        const struct libera_stretch here = libera_stretch_of(dst, walk.at);
        libera_fetch(here.weights, here.rows * stride);
        if (is_alone) {
            (is_q4_1 ? libera_multiply_one_q4_1 : libera_multiply_one_q8_0)(
                here.weights, stride, here.rows, work.laid, work.blocks, here.result, ahead);
        } else {
            (!is_q4_1 ? libera_lay_q8_0 : in_steps ? libera_lay_q4_1_in_steps : libera_lay_q4_1)(
                work.tile, here.weights, stride, here.rows, work.blocks, ahead);
            libera_multiply_panels(&work, dst, here, is_q4_1 && !in_steps);
        }
    }
}
