// Products of a few tokens with Q4_K and Q6_K weights, for processors with AVX-512 VNNI. Included by eights.h.
//
// Prompts of K-quants go ggml's tiles. Fewer tokens are multiplied here, row by row, with registers twice as wide as ggml's, a draft's
// tokens exactly as a lone one.
#pragma once

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

// Rows up to so many bytes are called for eight rows before they are read. In longer ones the processor sees by itself what comes next,
// and calls only stand in its way.
enum { LIBERA_SHORT = 2048 };

static size_t libera_room_k(const struct ggml_tensor * dst) {
    return dst->src[1]->ne[1] * (dst->src[0]->ne[0] / QK_K) * sizeof(block_q8_K);
}

// Row by row, with each of the tokens.
static void libera_make_products_k(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    const struct ggml_tensor * weights = dst->src[0];
    const struct ggml_tensor * tokens = dst->src[1];
    const int64_t blocks = weights->ne[0] / QK_K, count = tokens->ne[1], all = count * blocks;
    block_q8_K * rounded = (block_q8_K *) params->wdata;
    for (int64_t at = all * params->ith / params->nth; at < all * (params->ith + 1) / params->nth; at++) {
        const char * token = (const char *) tokens->data + at / blocks * tokens->nb[1];
        quantize_row_q8_K((const float *) token + at % blocks * QK_K, rounded + at, QK_K);
        if (weights->type == GGML_TYPE_Q4_K) libera_turn_for_q4_K(rounded + at);
    }
    libera_share(params);

    const size_t stride = weights->nb[1];
    for (struct libera_walk walk = libera_walk(params, weights->ne[1], 256); walk.at < walk.all; libera_go_on(&walk)) {
        const char * row = (const char *) weights->data + walk.at * stride;
        const int64_t later = libera_later(&walk, 8);
        if (stride <= LIBERA_SHORT && later < walk.all) libera_call((const char *) weights->data + later * stride, stride);
        for (int64_t token = 0; token < count; token++) {
            float * result = (float *) ((char *) dst->data + token * dst->nb[1]) + walk.at;
            *result = weights->type == GGML_TYPE_Q4_K ? libera_dot_q4_K((const void *) row, rounded + token * blocks, blocks)
                                                      : libera_dot_q6_K((const void *) row, rounded + token * blocks, blocks);
        }
    }
}
