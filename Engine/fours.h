// How rows of Q4_1 are laid and multiplied as they lie, for processors with AVX-512 VNNI. Included by eights.h.
//
// A Q4_1 weight is a nibble times its block's scale, plus the block's least value.
#pragma once

// From how many tokens of a prompt on the rows are laid in 127 steps: before, that costs more than it saves.
enum { LIBERA_STEPS_FROM = 128 };

// Which rows a register of four holds, so that the sums of four such registers stand in the order of their rows.
static inline __m512i libera_four_rows(const char * const rows[LIBERA_ROWS], int first, size_t at) {
    __m512i four = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *) (rows[first] + at)));
    four = _mm512_inserti32x4(four, _mm_loadu_si128((const __m128i *) (rows[first + 4] + at)), 1);
    four = _mm512_inserti32x4(four, _mm_loadu_si128((const __m128i *) (rows[first + 8] + at)), 2);
    return _mm512_inserti32x4(four, _mm_loadu_si128((const __m128i *) (rows[first + 12] + at)), 3);
}

static inline __m512i libera_nibbles(__m512i bytes, bool upper) {
    return _mm512_and_si512(upper ? _mm512_srli_epi16(bytes, 4) : bytes, _mm512_set1_epi8(15));
}

// The first word of a block: its scale and its least value, of sixteen rows.
static inline void libera_scales(const char * const rows[LIBERA_ROWS], size_t at, __m512 * scale, __m512 * least) {
    const __m512i first = _mm512_unpacklo_epi32(libera_four_rows(rows, 0, at), libera_four_rows(rows, 1, at));
    const __m512i second = _mm512_unpacklo_epi32(libera_four_rows(rows, 2, at), libera_four_rows(rows, 3, at));
    const __m512i words = _mm512_unpacklo_epi64(first, second);
    *scale = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words));
    *least = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(words, 16)));
}

// A block of sixteen rows, turned from rows of four words to words of sixteen rows.
static inline void libera_turn(__m512i turned[4], const char * const rows[LIBERA_ROWS], size_t at) {
    __m512i four[4];
    for (int row = 0; row < 4; row++) four[row] = libera_four_rows(rows, row, at + offsetof(block_q4_1, qs));
    const __m512i pairs[4] = {
        _mm512_unpacklo_epi32(four[0], four[1]), _mm512_unpackhi_epi32(four[0], four[1]),
        _mm512_unpacklo_epi32(four[2], four[3]), _mm512_unpackhi_epi32(four[2], four[3]),
    };
    for (int half = 0; half < 2; half++) {
        turned[2 * half] = _mm512_unpacklo_epi64(pairs[half], pairs[half + 2]);
        turned[2 * half + 1] = _mm512_unpackhi_epi64(pairs[half], pairs[half + 2]);
    }
}

// Sixteen rows (the last one again where there are fewer), as they are multiplied with few tokens.
static void libera_lay_q4_1(
    struct libera_rows * tile, const char * weights, size_t stride, int count, int64_t blocks, const char * ahead) {
    const char * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) rows[row] = weights + stride * (row < count ? row : count - 1);
    const __m512i higher = _mm512_set1_epi8((char) 0x80);
    for (size_t at = 0; at < blocks * sizeof(block_q4_1); at += sizeof(block_q4_1), tile++) {
        ahead = libera_call(ahead, LIBERA_ROWS * sizeof(block_q4_1));
        __m512i turned[4], sum = _mm512_setzero_si512();
        libera_turn(turned, rows, at);
        for (int word = 0; word < 4; word++) {
            _mm512_storeu_si512(tile->weights[word], turned[word]);
            for (int upper = 0; upper < 2; upper++) sum = _mm512_dpbusd_epi32(sum, higher, libera_nibbles(turned[word], upper));
        }
        _mm512_storeu_si512(tile->offset, _mm512_sub_epi32(_mm512_setzero_si512(), sum));
        __m512 scale, least;
        libera_scales(rows, at, &scale, &least);
        _mm512_storeu_ps(tile->scale, scale);
        _mm512_storeu_ps(tile->least, least);
    }
}

// Sixteen rows as those of Q8_0 are laid, for a prompt's tokens: each block's sixteen values in 127 steps, so that the least value costs
// no step of its own in every product.
static void libera_lay_q4_1_in_steps(
    struct libera_rows * tile, const char * weights, size_t stride, int count, int64_t blocks, const char * ahead) {
    const char * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) rows[row] = weights + stride * (row < count ? row : count - 1);
    const __m512i higher = _mm512_set1_epi8((char) 0x80), nibbles = _mm512_set1_epi16(15), uppers = _mm512_set1_epi16((short) 0xff00);
    for (size_t at = 0; at < blocks * sizeof(block_q4_1); at += sizeof(block_q4_1), tile++) {
        ahead = libera_call(ahead, LIBERA_ROWS * sizeof(block_q4_1));
        __m512 scale, least;
        libera_scales(rows, at, &scale, &least);
        const __m512 widest = _mm512_max_ps(
            _mm512_abs_ps(least), _mm512_abs_ps(_mm512_fmadd_ps(scale, _mm512_set1_ps(15), least)));
        _mm512_storeu_ps(tile->scale, _mm512_mul_ps(widest, _mm512_set1_ps(1.0f / 127)));
        // Steps in 256 parts: what a nibble is multiplied with, and what is added, with a half for rounding.
        const __m512 steps = _mm512_maskz_div_ps(
            _mm512_cmp_ps_mask(widest, _mm512_set1_ps(1e-30f), _CMP_GT_OQ), _mm512_set1_ps(127 * 256), widest);
        const __m512i lower = _mm512_set1_epi32(0xffff);
        __m512i factor = _mm512_and_si512(_mm512_cvtps_epi32(_mm512_mul_ps(scale, steps)), lower);
        __m512i added = _mm512_and_si512(
            _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(least, steps)), _mm512_set1_epi32(128)), lower);
        factor = _mm512_or_si512(factor, _mm512_slli_epi32(factor, 16));
        added = _mm512_or_si512(added, _mm512_slli_epi32(added, 16));
        __m512i turned[4], sum = _mm512_setzero_si512();
        libera_turn(turned, rows, at);
        for (int word = 0; word < 4; word++) {
            for (int upper = 0; upper < 2; upper++) {
                const __m512i even = upper ? _mm512_srli_epi16(turned[word], 4) : turned[word];
                const __m512i odd = _mm512_srli_epi16(turned[word], upper ? 12 : 8);
                const __m512i first = _mm512_add_epi16(_mm512_mullo_epi16(_mm512_and_si512(even, nibbles), factor), added);
                const __m512i second = _mm512_add_epi16(_mm512_mullo_epi16(_mm512_and_si512(odd, nibbles), factor), added);
                const __m512i whole = _mm512_or_si512(_mm512_srli_epi16(first, 8), _mm512_and_si512(second, uppers));
                _mm512_storeu_si512(tile->weights[word + 4 * upper], whole);
                sum = _mm512_dpbusd_epi32(sum, higher, whole);
            }
        }
        _mm512_storeu_si512(tile->offset, _mm512_sub_epi32(_mm512_setzero_si512(), sum));
    }
}

// The products of sixteen rows, as they lie, with one token.
static void libera_multiply_one_q4_1(
    const char * weights, size_t stride, int count, const struct libera_tokens * token, int64_t blocks, float * result,
    const char * ahead) {
    const char * rows[LIBERA_ROWS];
    for (int row = 0; row < LIBERA_ROWS; row++) rows[row] = weights + stride * (row < count ? row : count - 1);
    __m512 sum = _mm512_setzero_ps();
    for (size_t at = 0; at < blocks * sizeof(block_q4_1); at += sizeof(block_q4_1), token++) {
        ahead = libera_call(ahead, LIBERA_ROWS * sizeof(block_q4_1));
        const __m128i * values = (const __m128i *) token->values[0];
        const __m512i lower = _mm512_broadcast_i32x4(_mm_loadu_si128(values));
        const __m512i upper = _mm512_broadcast_i32x4(_mm_loadu_si128(values + 1));
        __m512i parts[4];
        for (int row = 0; row < 4; row++) {
            const __m512i bytes = libera_four_rows(rows, row, at + offsetof(block_q4_1, qs));
            const __m512i first = _mm512_dpbusd_epi32(_mm512_setzero_si512(), libera_nibbles(bytes, false), lower);
            parts[row] = _mm512_dpbusd_epi32(first, libera_nibbles(bytes, true), upper);
        }
        __m512 scale, least;
        libera_scales(rows, at, &scale, &least);
        sum = libera_add(sum, libera_sum_rows(parts), scale, _mm512_set1_ps(token->scale[0]));
        sum = _mm512_fmadd_ps(least, _mm512_set1_ps(token->sum[0]), sum);
    }
    _mm512_mask_storeu_ps(result, (__mmask16) ((1u << count) - 1), sum);
}
