// Products with rows of a few half floats: the second step of an adapter. ggml takes a row at a time, and its loop for sixteen or more
// columns is never entered. Here sixteen rows stand side by side. Included by products.h.
#pragma once

enum { LIBERA_MOST_THIN = 16, LIBERA_THIN_ROWS = 16 };
typedef float libera_sixteen __attribute__((vector_size(LIBERA_THIN_ROWS * sizeof(float))));

static bool libera_is_thin(const struct ggml_tensor * dst) {
    return dst->src[0]->type == GGML_TYPE_F16 && dst->src[0]->ne[0] <= LIBERA_MOST_THIN && libera_is_plain(dst);
}

static void libera_make_thin(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    const struct ggml_tensor * weights = dst->src[0];
    const struct ggml_tensor * tokens = dst->src[1];
    const int columns = (int) weights->ne[0];
    for (int64_t first = params->ith * LIBERA_THIN_ROWS; first < weights->ne[1]; first += params->nth * LIBERA_THIN_ROWS) {
        const int rows = (int) MIN(LIBERA_THIN_ROWS, weights->ne[1] - first);
        libera_sixteen turned[LIBERA_MOST_THIN] = {0};
        for (int row = 0; row < rows; row++) {
            const ggml_fp16_t * weight = (const ggml_fp16_t *) ((const char *) weights->data + (first + row) * weights->nb[1]);
            for (int column = 0; column < columns; column++) turned[column][row] = GGML_CPU_FP16_TO_FP32(weight[column]);
        }
        for (int64_t place = 0; place < tokens->ne[1]; place++) {
            const float * token = (const float *) ((const char *) tokens->data + place * tokens->nb[1]);
            libera_sixteen sums = token[0] * turned[0];
            for (int column = 1; column < columns; column++) sums += token[column] * turned[column];
            memcpy((float *) ((char *) dst->data + place * dst->nb[1]) + first, &sums, rows * sizeof(float));
        }
    }
}
