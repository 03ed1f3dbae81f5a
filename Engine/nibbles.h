// Products of Q4_1 weights with tokens, and of a prompt's tokens with Q4_K weights, for processors with AVX2. Included by
// products.h.
//
// A Q4_1 weight is a nibble times its block's scale, plus the block's least value. ggml multiplies row by row and brings the sums of
// every 32 products to floats. Here sixteen rows lie side by side, and four tokens go over them at once. A nibble times a byte is so
// small that a whole block is added up in 16 bits, two instructions for 32 products; with AVX-VNNI it is one, in 32 bits, to the same
// sums. A lone token goes over rows of Q4_1 as they lie.
//
// Q4_K is the same in blocks of 32 once its scales, kept in six bits for eight blocks, are floats. Fewer tokens than fill ggml's
// tiles go ggml's way there.
#pragma once
#include <immintrin.h>

enum { LIBERA_ROWS = 16, LIBERA_TOKENS = 4, LIBERA_BLOCK = 32 };

// A block of 32 weights of sixteen rows: four bytes of each row, sixteen rows, four times. The lower nibbles are the block's first
// sixteen weights, the upper ones its last.
struct libera_rows {
    uint8_t nibbles[4][LIBERA_ROWS * 4];
    float scale[LIBERA_ROWS];
    float least[LIBERA_ROWS];
};

// The same 32 places of four tokens: four places of each token, eight times. `sum` is that of a token's 32 values as they are
// multiplied, which the least values are multiplied with.
struct libera_tokens {
    int8_t values[8][LIBERA_TOKENS][4];
    float scale[LIBERA_TOKENS];
    float sum[LIBERA_TOKENS];
};

static bool libera_products_fit(const struct ggml_tensor * dst) {
    const bool is_prompt = dst->src[0]->type == GGML_TYPE_Q4_K && libera_fill_tiles(dst->src[1]);
    return (is_prompt || dst->src[0]->type == GGML_TYPE_Q4_1) && libera_is_plain(dst);
}

static inline float libera_most(__m256 values) {
    __m128 most = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
}

// Up to four tokens, each block of them rounded to 127 steps; places without a token are zero. The values of a token that is `alone`
// lie one after the other.
static void libera_lay_tokens(
    struct libera_tokens * panel, const char * row, size_t stride, int count, int64_t blocks, bool alone) {
    const __m256 positive = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (int token = 0; token < (alone ? 1 : LIBERA_TOKENS); token++, row += stride) {
        for (int64_t block = 0; block < blocks; block++) {
            __m256i fours = _mm256_setzero_si256();
            float scale = 0;
            int sum = 0;
            if (token < count) {
                __m256 parts[4];
                __m256 most = _mm256_setzero_ps();
                for (int part = 0; part < 4; part++) {
                    parts[part] = _mm256_loadu_ps((const float *) row + block * LIBERA_BLOCK + 8 * part);
                    most = _mm256_max_ps(most, _mm256_and_ps(parts[part], positive));
                }
                const float widest = libera_most(most);
                const __m256 steps = _mm256_set1_ps(widest > 1e-30f ? 127 / widest : 0);
                __m256i whole[4];
                for (int part = 0; part < 4; part++) whole[part] = _mm256_cvtps_epi32(_mm256_mul_ps(parts[part], steps));
                const __m256i first = _mm256_packs_epi32(whole[0], whole[1]), second = _mm256_packs_epi32(whole[2], whole[3]);
                fours = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(first, second), order);
                scale = widest / 127;
                const __m256i pairs = _mm256_madd_epi16(_mm256_add_epi16(first, second), _mm256_set1_epi16(1));
                const __m128i quarter = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
                const __m128i eighth = _mm_add_epi32(quarter, _mm_unpackhi_epi64(quarter, quarter));
                sum = _mm_cvtsi128_si32(_mm_add_epi32(eighth, _mm_shuffle_epi32(eighth, 1)));
            }
            int words[8];
            _mm256_storeu_si256((__m256i *) words, fours);
            if (alone) memcpy(panel[block].values, words, sizeof(words));
            else for (int four = 0; four < 8; four++) memcpy(panel[block].values[four][token], &words[four], 4);
            panel[block].scale[token] = scale;
            panel[block].sum[token] = scale * sum;
        }
    }
}

#include "libera-tiles.h"

// The scales and the least values of a block of eight rows: a row's two halves are the first word of its block.
static inline void libera_scales(const block_q4_1 * const rows[8], int64_t block, __m256 * scale, __m256 * least) {
    __m128i fours[2];
#pragma GCC unroll 2
    for (int four = 0; four < 2; four++) {
        const block_q4_1 * const * here = rows + 4 * four;
        fours[four] = _mm_unpacklo_epi64(
            _mm_unpacklo_epi32(_mm_loadu_si128((const __m128i *) &here[0][block]), _mm_loadu_si128((const __m128i *) &here[1][block])),
            _mm_unpacklo_epi32(_mm_loadu_si128((const __m128i *) &here[2][block]), _mm_loadu_si128((const __m128i *) &here[3][block])));
    }
    const __m128i lower = _mm_set1_epi32(0xffff);
    *scale = _mm256_cvtph_ps(_mm_packus_epi32(_mm_and_si128(fours[0], lower), _mm_and_si128(fours[1], lower)));
    *least = _mm256_cvtph_ps(_mm_packus_epi32(_mm_srli_epi32(fours[0], 16), _mm_srli_epi32(fours[1], 16)));
}

static void libera_rows_at(const block_q4_1 * rows[LIBERA_ROWS], const char * weights, size_t stride, int count) {
    // The last one again where there are fewer than sixteen.
    for (int row = 0; row < LIBERA_ROWS; row++) rows[row] = (const block_q4_1 *) (weights + stride * (row < count ? row : count - 1));
}

// A block of eight rows, turned from rows of four words to words of eight rows.
static inline void libera_turn(struct libera_rows * tile, int first, const __m128i rows[8]) {
    __m256i whole[4]; // row and row + 4 are the halves of one register
#pragma GCC unroll 4
    for (int row = 0; row < 4; row++) whole[row] = _mm256_set_m128i(rows[row + 4], rows[row]);
    const __m256i pairs[4] = {
        _mm256_unpacklo_epi32(whole[0], whole[1]), _mm256_unpackhi_epi32(whole[0], whole[1]),
        _mm256_unpacklo_epi32(whole[2], whole[3]), _mm256_unpackhi_epi32(whole[2], whole[3]),
    };
#pragma GCC unroll 4
    for (int word = 0; word < 4; word++) {
        const __m256i turned = word % 2 ? _mm256_unpackhi_epi64(pairs[word / 2], pairs[word / 2 + 2])
                                        : _mm256_unpacklo_epi64(pairs[word / 2], pairs[word / 2 + 2]);
        _mm256_storeu_si256((__m256i *) (tile->nibbles[word] + 4 * first), turned);
    }
}

// Sixteen rows of Q4_1.
static void libera_lay_q4_1(struct libera_rows * tile, const char * weights, size_t stride, int count, int64_t blocks) {
    const block_q4_1 * rows[LIBERA_ROWS];
    libera_rows_at(rows, weights, stride, count);
    for (int64_t block = 0; block < blocks; block++, tile++) {
        for (int half = 0; half < LIBERA_ROWS; half += 8) {
            __m128i bytes[8];
            for (int row = 0; row < 8; row++) bytes[row] = _mm_loadu_si128((const __m128i *) rows[half + row][block].qs);
            libera_turn(tile, half, bytes);
            __m256 scale, least;
            libera_scales(rows + half, block, &scale, &least);
            _mm256_storeu_ps(tile->scale + half, scale);
            _mm256_storeu_ps(tile->least + half, least);
        }
    }
}

// The scales and the least values of a row's eight blocks: six bits each, four of either as they are, four in two pieces.
static inline void libera_scales_q4_K(const block_q4_K * row, float scale[8], float least[8]) {
    const __m128i lower = _mm_setr_epi8(4, 5, 6, 7, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i upper = _mm_setr_epi8(-1, -1, -1, -1, 4, 5, 6, 7, -1, -1, -1, -1, 8, 9, 10, 11);
    const __m128i kept = _mm_setr_epi32(0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f), fours = _mm_setr_epi32(0, 0, 0, 4);
    const __m128i head = _mm_loadu_si128((const __m128i *) row);
    const __m128i pieces = _mm_and_si128(_mm_srli_epi32(_mm_shuffle_epi8(head, upper), 2), _mm_set1_epi8(0x30));
    const __m128i all = _mm_or_si128(pieces, _mm_and_si128(kept, _mm_srlv_epi32(_mm_shuffle_epi8(head, lower), fours)));
    const __m128 factors = _mm_cvtph_ps(head); // of the scales, of the least values
    const __m256 steps = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(all));
    const __m256 below = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_unpackhi_epi64(all, all)));
    _mm256_storeu_ps(scale, _mm256_mul_ps(steps, _mm256_broadcastss_ps(factors)));
    _mm256_storeu_ps(least, _mm256_mul_ps(below, _mm256_set1_ps(-_mm_cvtss_f32(_mm_movehdup_ps(factors)))));
}

// Sixteen rows of Q4_K, brought to the same form. 32 bytes hold two blocks: the lower nibbles one, the upper ones the next.
static void libera_lay_q4_K(struct libera_rows * tile, const char * weights, size_t stride, int count, int64_t blocks) {
    const __m128i lower = _mm_set1_epi8(15), upper = _mm_set1_epi8((char) 0xf0);
    for (int64_t eight = 0; eight < blocks / 8; eight++, tile += 8) {
        for (int half = 0; half < LIBERA_ROWS; half += 8) {
            __m128i bytes[8][8]; // of each block the eight rows
            for (int row = 0; row < 8; row++) {
                const int place = MIN(half + row, count - 1);
                const block_q4_K * here = (const block_q4_K *) (weights + stride * place) + eight;
                float scale[8], least[8];
                libera_scales_q4_K(here, scale, least);
                for (int block = 0; block < 8; block++) {
                    tile[block].scale[half + row] = scale[block];
                    tile[block].least[half + row] = least[block];
                }
                for (int pair = 0; pair < 4; pair++) {
                    const __m128i first = _mm_loadu_si128((const __m128i *) (here->qs + 32 * pair));
                    const __m128i second = _mm_loadu_si128((const __m128i *) (here->qs + 32 * pair + 16));
                    bytes[2 * pair][row] = _mm_or_si128(
                        _mm_and_si128(first, lower), _mm_slli_epi16(_mm_and_si128(second, lower), 4));
                    bytes[2 * pair + 1][row] = _mm_or_si128(
                        _mm_and_si128(_mm_srli_epi16(first, 4), lower), _mm_and_si128(second, upper));
                }
            }
            for (int block = 0; block < 8; block++) libera_turn(tile + block, half, bytes[block]);
        }
    }
}

// Adds products to sums of which `libera_whole` and, of four rows, `libera_whole_rows` make the eight whole numbers of a block.
static inline __m256i libera_dot(__m256i sum, __m256i nibbles, __m256i values) {
#if defined(__AVXVNNI__)
    return _mm256_dpbusd_avx_epi32(sum, nibbles, values);
#else
    sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(nibbles, values));
    // Each product is added before the next is made: gcc would make those of a whole block first, more than there are registers for.
    __asm__("" : "+x"(sum));
    return sum;
#endif
}
static inline __m256i libera_whole(__m256i sum) {
#if defined(__AVXVNNI__)
    return sum;
#else
    return _mm256_madd_epi16(sum, _mm256_set1_epi16(1));
#endif
}
static inline __m256i libera_whole_rows(const __m256i rows[4]) {
#if defined(__AVXVNNI__)
    return _mm256_hadd_epi32(_mm256_hadd_epi32(rows[0], rows[1]), _mm256_hadd_epi32(rows[2], rows[3]));
#else
    return libera_whole(_mm256_hadd_epi16(_mm256_hadd_epi16(rows[0], rows[1]), _mm256_hadd_epi16(rows[2], rows[3])));
#endif
}

// From whole numbers on every product is brought to its sum in these steps.
static inline __m256 libera_add(__m256 sum, __m256i whole, __m256 scale, __m256 least, const struct libera_tokens * token, int place) {
    const __m256 factor = _mm256_mul_ps(scale, _mm256_set1_ps(token->scale[place]));
    return _mm256_fmadd_ps(
        least, _mm256_set1_ps(token->sum[place]), _mm256_fmadd_ps(_mm256_cvtepi32_ps(whole), factor, sum));
}

// The products of sixteen rows with `width` tokens, a constant wherever this is written out.
static inline __attribute__((always_inline)) void libera_multiply(
    const int width, const struct libera_rows * tile, const struct libera_tokens * panel, int64_t blocks, char * result,
    size_t stride, int rows) {
    const __m256i lower = _mm256_set1_epi8(15);
    __m256 sums[LIBERA_TOKENS][2];
#pragma GCC unroll 4
    for (int token = 0; token < width; token++) sums[token][0] = sums[token][1] = _mm256_setzero_ps();
    for (int64_t block = 0; block < blocks; block++, tile++, panel++) {
        __m256i parts[LIBERA_TOKENS][2];
#pragma GCC unroll 4
        for (int word = 0; word < 4; word++) {
            const __m256i bytes[2] = {
                _mm256_loadu_si256((const __m256i *) tile->nibbles[word]),
                _mm256_loadu_si256((const __m256i *) (tile->nibbles[word] + 32)),
            };
#pragma GCC unroll 2
            for (int half = 0; half < 2; half++) {
                const __m256i weights[2] = {
                    _mm256_and_si256(half ? _mm256_srli_epi16(bytes[0], 4) : bytes[0], lower),
                    _mm256_and_si256(half ? _mm256_srli_epi16(bytes[1], 4) : bytes[1], lower),
                };
#pragma GCC unroll 4
                for (int token = 0; token < width; token++) {
                    int four;
                    memcpy(&four, panel->values[word + 4 * half][token], 4);
                    const __m256i values = _mm256_set1_epi32(four);
#pragma GCC unroll 2
                    for (int part = 0; part < 2; part++) {
                        const __m256i before = word + half == 0 ? _mm256_setzero_si256() : parts[token][part];
                        parts[token][part] = libera_dot(before, weights[part], values);
                    }
                }
            }
        }
#pragma GCC unroll 2
        for (int part = 0; part < 2; part++) {
            const __m256 scale = _mm256_loadu_ps(tile->scale + 8 * part), least = _mm256_loadu_ps(tile->least + 8 * part);
#pragma GCC unroll 4
            for (int token = 0; token < width; token++) {
                sums[token][part] = libera_add(sums[token][part], libera_whole(parts[token][part]), scale, least, panel, token);
            }
        }
    }
#pragma GCC unroll 4
    for (int token = 0; token < width; token++) {
        float * written = (float *) (result + token * stride);
        float all[LIBERA_ROWS];
        _mm256_storeu_ps(all, sums[token][0]);
        _mm256_storeu_ps(all + 8, sums[token][1]);
        memcpy(written, all, rows * sizeof(float));
    }
}

// The products of sixteen rows, as they lie, with one token.
static void libera_multiply_one(
    const char * weights, size_t stride, int count, const struct libera_tokens * token, int64_t blocks, float * result,
    const char * ahead) {
    const block_q4_1 * rows[LIBERA_ROWS];
    libera_rows_at(rows, weights, stride, count);
    const __m256i lower = _mm256_set1_epi8(15);
    __m256 sums[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int64_t block = 0; block < blocks; block++, token++) {
        ahead = libera_call(ahead, LIBERA_ROWS * sizeof(block_q4_1));
        const __m128i * values = (const __m128i *) token->values;
        const __m256i halves[2] = {
            _mm256_broadcastsi128_si256(_mm_loadu_si128(values)), _mm256_broadcastsi128_si256(_mm_loadu_si128(values + 1)),
        };
#pragma GCC unroll 2
        for (int part = 0; part < 2; part++) {
            __m256i pairs[4]; // of row and row + 4, their sums in pieces
#pragma GCC unroll 4
            for (int row = 0; row < 4; row++) {
                const block_q4_1 * const * here = rows + 8 * part + row;
                const __m256i bytes = _mm256_inserti128_si256(
                    _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *) here[0][block].qs)),
                    _mm_loadu_si128((const __m128i *) here[4][block].qs), 1);
                const __m256i first = libera_dot(_mm256_setzero_si256(), _mm256_and_si256(bytes, lower), halves[0]);
                pairs[row] = libera_dot(first, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), lower), halves[1]);
            }
            const __m256i whole = libera_whole_rows(pairs);
            __m256 scale, least;
            libera_scales(rows + 8 * part, block, &scale, &least);
            sums[part] = libera_add(sums[part], whole, scale, least, token, 0);
        }
    }
    float all[LIBERA_ROWS];
    _mm256_storeu_ps(all, sums[0]);
    _mm256_storeu_ps(all + 8, sums[1]);
    memcpy(result, all, count * sizeof(float));
}

// Up to four tokens with sixteen rows.
static void libera_multiply_panel(
    bool are_nibbles, const struct libera_rows * tile, const struct libera_tokens * panel, int64_t blocks, char * result,
    size_t stride, int tokens, int rows) {
    (void) are_nibbles; // they always are
    switch (tokens) {
        case 4: libera_multiply(4, tile, panel, blocks, result, stride, rows); break;
        case 3: libera_multiply(3, tile, panel, blocks, result, stride, rows); break;
        case 2: libera_multiply(2, tile, panel, blocks, result, stride, rows); break;
        default: libera_multiply(1, tile, panel, blocks, result, stride, rows);
    }
}

static size_t libera_products_room(int threads, const struct ggml_tensor * dst) { return libera_room(threads, dst); }

static void libera_make_products(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    const struct libera_work work = libera_begin(params, dst);
    const struct ggml_tensor * weights = dst->src[0];
    for (struct libera_walk walk = libera_walk(params, work.tiles, work.tokens == 1 ? 4 : 1); walk.at < walk.all; libera_go_on(&walk)) {
        const struct libera_stretch here = libera_stretch_of(dst, walk.at);
        libera_fetch(here.weights, here.rows * weights->nb[1]);
        if (work.tokens == 1) { // Q4_1: a lone token fills no tiles
            libera_multiply_one(here.weights, weights->nb[1], here.rows, work.laid, work.blocks, here.result,
                libera_ahead(dst, &walk));
        } else {
            if (weights->type == GGML_TYPE_Q4_1) libera_lay_q4_1(work.tile, here.weights, weights->nb[1], here.rows, work.blocks);
            else libera_lay_q4_K(work.tile, here.weights, weights->nb[1], here.rows, work.blocks);
            libera_multiply_panels(&work, dst, here, true);
        }
    }
}
