// Laying out a tile of attention for processors with AVX-512 or AVX2. Included by ggml's ops.cpp, which turns keys and widens masks
// number by number.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>

// The mask of one token over a stretch of the context, widened and sloped; whether it hides all of it.
static bool libera_mask(float * wide, const ggml_fp16_t * mask, int count, float slope) {
    const __m512 hidden = _mm512_set1_ps(-INFINITY);
    const __m512 steep = _mm512_set1_ps(slope);
    __mmask16 open = 0;
    int at = 0;
    for (; at + 16 <= count; at += 16) {
        const __m512 values = _mm512_mul_ps(_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) (mask + at))), steep);
        _mm512_storeu_ps(wide + at, values);
        open |= _mm512_cmp_ps_mask(values, hidden, _CMP_NEQ_UQ);
    }
    for (; at < count; at++) {
        wide[at] = slope * GGML_CPU_FP16_TO_FP32(mask[at]);
        open |= wide[at] != -INFINITY;
    }
    return open == 0;
}

// Sixteen keys at a time, each a row of halves, become columns of floats. Returns how many keys were laid: the caller lays the rest.
static int libera_lay_keys(
    float * columns, int64_t width, const char * keys, size_t stride, ggml_type type, int64_t length, int count) {
    if (type != GGML_TYPE_F16 || length % 16 != 0) {
        return 0;
    }
    const int laid = count - count % 16;
    for (int key = 0; key < laid; key += 16) {
        for (int64_t at = 0; at < length; at += 16) {
            __m512 rows[16], turned[16];
            for (int row = 0; row < 16; row++) {
                const ggml_fp16_t * halves = (const ggml_fp16_t *) (keys + (key + row) * stride) + at;
                rows[row] = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) halves));
            }
            for (int row = 0; row < 16; row += 2) { // pairs of rows, then fours, each within quarters of a register
                turned[row] = _mm512_unpacklo_ps(rows[row], rows[row + 1]);
                turned[row + 1] = _mm512_unpackhi_ps(rows[row], rows[row + 1]);
            }
            for (int row = 0; row < 16; row += 4) {
                rows[row] = _mm512_shuffle_ps(turned[row], turned[row + 2], 0x44);
                rows[row + 1] = _mm512_shuffle_ps(turned[row], turned[row + 2], 0xee);
                rows[row + 2] = _mm512_shuffle_ps(turned[row + 1], turned[row + 3], 0x44);
                rows[row + 3] = _mm512_shuffle_ps(turned[row + 1], turned[row + 3], 0xee);
            }
            for (int row = 0; row < 4; row++) { // then the quarters
                const __m512 low = _mm512_shuffle_f32x4(rows[row], rows[row + 4], 0x88);
                const __m512 high = _mm512_shuffle_f32x4(rows[row], rows[row + 4], 0xdd);
                const __m512 lower = _mm512_shuffle_f32x4(rows[row + 8], rows[row + 12], 0x88);
                const __m512 higher = _mm512_shuffle_f32x4(rows[row + 8], rows[row + 12], 0xdd);
                turned[row] = _mm512_shuffle_f32x4(low, lower, 0x88);
                turned[row + 8] = _mm512_shuffle_f32x4(low, lower, 0xdd);
                turned[row + 4] = _mm512_shuffle_f32x4(high, higher, 0x88);
                turned[row + 12] = _mm512_shuffle_f32x4(high, higher, 0xdd);
            }
            for (int row = 0; row < 16; row++) {
                _mm512_storeu_ps(columns + (at + row) * width + key, turned[row]);
            }
        }
    }
    return laid;
}

#elif defined(__AVX2__) && defined(__F16C__)
#include <immintrin.h>

static bool libera_mask(float * wide, const ggml_fp16_t * mask, int count, float slope) {
    const __m256 hidden = _mm256_set1_ps(-INFINITY);
    const __m256 steep = _mm256_set1_ps(slope);
    __m256 open = _mm256_setzero_ps();
    int at = 0;
    for (; at + 8 <= count; at += 8) {
        const __m256 values = _mm256_mul_ps(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) (mask + at))), steep);
        _mm256_storeu_ps(wide + at, values);
        open = _mm256_or_ps(open, _mm256_cmp_ps(values, hidden, _CMP_NEQ_UQ));
    }
    bool any = _mm256_movemask_ps(open) != 0;
    for (; at < count; at++) {
        wide[at] = slope * GGML_CPU_FP16_TO_FP32(mask[at]);
        any |= wide[at] != -INFINITY;
    }
    return !any;
}

// Eight keys at a time.
static int libera_lay_keys(
    float * columns, int64_t width, const char * keys, size_t stride, ggml_type type, int64_t length, int count) {
    if (type != GGML_TYPE_F16 || length % 8 != 0) {
        return 0;
    }
    const int laid = count - count % 8;
    for (int key = 0; key < laid; key += 8) {
        for (int64_t at = 0; at < length; at += 8) {
            __m256 rows[8], turned[8];
            for (int row = 0; row < 8; row++) {
                const ggml_fp16_t * halves = (const ggml_fp16_t *) (keys + (key + row) * stride) + at;
                rows[row] = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) halves));
            }
            for (int row = 0; row < 8; row += 2) { // pairs of rows, then fours, each within halves of a register
                turned[row] = _mm256_unpacklo_ps(rows[row], rows[row + 1]);
                turned[row + 1] = _mm256_unpackhi_ps(rows[row], rows[row + 1]);
            }
            for (int row = 0; row < 8; row += 4) {
                rows[row] = _mm256_shuffle_ps(turned[row], turned[row + 2], 0x44);
                rows[row + 1] = _mm256_shuffle_ps(turned[row], turned[row + 2], 0xee);
                rows[row + 2] = _mm256_shuffle_ps(turned[row + 1], turned[row + 3], 0x44);
                rows[row + 3] = _mm256_shuffle_ps(turned[row + 1], turned[row + 3], 0xee);
            }
            for (int row = 0; row < 4; row++) { // then the halves
                _mm256_storeu_ps(columns + (at + row) * width + key, _mm256_permute2f128_ps(rows[row], rows[row + 4], 0x20));
                _mm256_storeu_ps(columns + (at + row + 4) * width + key, _mm256_permute2f128_ps(rows[row], rows[row + 4], 0x31));
            }
        }
    }
    return laid;
}

#else // other processors lay them out as ggml does

static bool libera_mask(float * wide, const ggml_fp16_t * mask, int count, float slope) {
    bool hidden = true;
    for (int at = 0; at < count; at++) {
        wide[at] = slope * GGML_CPU_FP16_TO_FP32(mask[at]);
        hidden = hidden && wide[at] == -INFINITY;
    }
    return hidden;
}
static int libera_lay_keys(float *, int64_t, const char *, size_t, ggml_type, int64_t, int) { return 0; }

#endif
