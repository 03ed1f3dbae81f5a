// Products of weights with tokens in loops of our own, and which way products and attention go. Included by ggml-cpu.c.
//
// eights.h multiplies Q8_0 and (with fours.h) Q4_1, kquants.h few tokens of K-quants, for processors with AVX-512 VNNI; nibbles.h Q4_1,
// and a prompt's tokens with Q4_K, for others with AVX2. What they have in common is in tiles.h. thin.h multiplies what an adapter adds,
// anywhere. A token comes to the very same sums alone and among others, so that drafts can be verified in batches. All else goes
// ggml's way.
#pragma once

// How many tokens a batch has at least that is multiplied here, and that goes by tiles for prompts (attention, and products of K-quants
// and of Q4_1), where a token among others comes to other sums than alone. Said before an evaluation, by the thread that evaluates: it
// knows whether that may be.
static _Thread_local int libera_fewest_products = 1, libera_fewest_in_tiles = 32;
__attribute__((visibility("default"))) void libera_batches_from(int products, int tiles);
void libera_batches_from(int products, int tiles) {
    libera_fewest_products = products;
    libera_fewest_in_tiles = tiles;
}

// The last of an operation's parameters, none of which is ggml's: how it was planned to go. Plans are made by the thread that
// evaluates.
enum { LIBERA_PLANNED = GGML_MAX_OP_PARAMS / sizeof(int32_t) - 1 };
enum { LIBERA_BY_ROWS = 0, LIBERA_OWN_WAY = 1, LIBERA_BY_TILES = 2 }; // a product of ours for a prompt is both

static void libera_plan_attention(struct ggml_tensor * dst) {
    dst->op_params[LIBERA_PLANNED] = dst->src[0]->ne[1] >= MIN(libera_fewest_in_tiles, GGML_FA_TILE_Q) ? LIBERA_OWN_WAY : LIBERA_BY_ROWS;
}

// ggml's tiles pay from eight tokens on.
static bool libera_fill_tiles(const struct ggml_tensor * tokens) { return tokens->ne[1] >= MAX(8, libera_fewest_in_tiles); }

// Whether one matrix of weights is multiplied with tokens in floats, each row in one piece, and the batch is one for products of ours.
static bool libera_is_plain(const struct ggml_tensor * dst) {
    const struct ggml_tensor * weights = dst->src[0];
    const struct ggml_tensor * tokens = dst->src[1];
    return tokens->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32 && tokens->ne[1] >= libera_fewest_products &&
        ggml_nrows(weights) == weights->ne[1] && ggml_nrows(tokens) == tokens->ne[1] &&
        weights->nb[0] == ggml_type_size(weights->type) && tokens->nb[0] == sizeof(float) && dst->nb[0] == sizeof(float);
}

// Each says which products it makes, how much room they need, and makes them.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
#include "libera-eights.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "libera-nibbles.h"
#else // other processors multiply as ggml does
static bool libera_products_fit(const struct ggml_tensor * dst) { (void) dst; return false; }
static size_t libera_products_room(int threads, const struct ggml_tensor * dst) { (void) threads; (void) dst; return 0; }
static void libera_make_products(const struct ggml_compute_params * params, struct ggml_tensor * dst) { (void) params; (void) dst; }
#endif

#include "libera-thin.h"

// Plans which way a product goes. The room that it needs if that is one of ours.
static size_t libera_products_size(int threads, struct ggml_tensor * dst) {
    dst->op_params[LIBERA_PLANNED] = libera_fill_tiles(dst->src[1]) ? LIBERA_BY_TILES : LIBERA_BY_ROWS;
    const bool is_thin = libera_is_thin(dst);
    if (!is_thin && !libera_products_fit(dst)) return 0;
    dst->op_params[LIBERA_PLANNED] |= LIBERA_OWN_WAY;
    return is_thin ? 0 : libera_products_room(threads, dst);
}

// Makes a product that was planned to be made here; whether it was.
static bool libera_products(const struct ggml_compute_params * params, struct ggml_tensor * dst) {
    if (params->use_ref || !(dst->op_params[LIBERA_PLANNED] & LIBERA_OWN_WAY)) return false;
    if (libera_is_thin(dst)) libera_make_thin(params, dst);
    else libera_make_products(params, dst);
    return true;
}
