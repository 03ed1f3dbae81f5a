# What our ggml does differently from the published one, of which the benchmarks' programs are built.

# Replaces a piece of the published source and fails where it no longer stands there.
function (mend file piece by)
  file(READ ${file} published)
  string(REPLACE "${piece}" "${by}" mended "${published}")
  if (mended STREQUAL published)
    message(FATAL_ERROR "${file} no longer has what is mended here: ${piece}")
  endif()
  file(WRITE ${file} "${mended}")
endfunction()

set(cpu ${LLAMA_SOURCE}/ggml/src/ggml-cpu)

# A token evaluated alone and the same token within a batch must get the same numbers, or drafts that are verified in batches
# change greedy answers where two tokens are nearly as likely. ggml splits the attention of a lone token over the threads by
# stretches of the context, which rounds differently; here it does so only where there are fewer heads than threads.
mend(${cpu}/ops.cpp "nek1 >= 512;" "nek1 >= 512 && neq2 < nth;")

# The products of a prompt's many tokens, and the room they need.
configure_file(products.h ${cpu}/libera-products.h COPYONLY)
mend(${cpu}/ggml-cpu.c "void ggml_compute_forward_mul_mat(\n"
  "#include \"libera-products.h\"\nvoid ggml_compute_forward_mul_mat(\n")
mend(${cpu}/ggml-cpu.c "    if (ggml_compute_forward_mul_mat_tiled(params, dst)) {"
  "    const bool by_tiles = dst->op_params[LIBERA_PLANNED] == LIBERA_BY_TILES;
    if (libera_products(params, dst) || (by_tiles && ggml_compute_forward_mul_mat_tiled(params, dst))) {")
mend(${cpu}/ggml-cpu.c "                        // Workspace for tiled (see tiled.h)
                        cur = GGML_PAD(cur, 64);
                        cur += ggml_tiled_wdata_size(n_tasks, node);"
  "                        cur = GGML_PAD(cur, 64) + ggml_tiled_wdata_size(n_tasks, node);
                        cur = MAX(cur, libera_products_size(n_tasks, node));")

# The tiles of K-quants are faster for a prompt than weights that are brought into another order when they are loaded, and need no
# second copy of them in memory.
mend(${cpu}/repack.cpp "    if (cur->type == GGML_TYPE_Q4_0) {
        if (ggml_cpu_has_avx2() ||"
  "    if (ggml_cpu_has_avx2() && (cur->type == GGML_TYPE_Q4_K || cur->type == GGML_TYPE_Q2_K)) {
        return nullptr;
    }
    if (cur->type == GGML_TYPE_Q4_0) {
        if (ggml_cpu_has_avx2() ||")

# Attention by tiles, of 64 tokens, for prompts of fewer too, each tile computed as far as it is filled and each head's tokens in one.
mend(${cpu}/ggml-cpu.c "                        const int64_t neq2 = node->src[0]->ne[2]; // number of query heads
                        const int64_t DK"
  "                        libera_plan_attention(node);
                        const int64_t neq2 = node->src[0]->ne[2];
                        const int64_t DK")
set(planned "dst->op_params[GGML_MAX_OP_PARAMS / sizeof(int32_t) - 1] == 1")
mend(${cpu}/ops.cpp "                                neq1 >= Q_TILE_SZ);" "                                ${planned});")
mend(${cpu}/ops.cpp "        const int64_t dr = (nr + nchunk - 1) / nchunk;

        static constexpr int64_t Q_TILE_SZ  = ggml_fa_tile_config::Q;
        bool use_tiled"
  "        int64_t dr = (nr + nchunk - 1) / nchunk;
        if (${planned} && neq1 < (int64_t) ggml_fa_tile_config::Q) dr = (dr + neq1 - 1) / neq1 * neq1;
        bool use_tiled")
mend(${cpu}/ops.cpp "simd_gemm(KQ, (const float *)Q_q, K_f32, Q_TILE_SZ, DK, KV_TILE_SZ);"
  "simd_gemm(KQ, (const float *)Q_q, K_f32, tile_rows, DK, KV_TILE_SZ);")
mend(${cpu}/ops.cpp "simd_gemm(VKQ32, KQ, V32, Q_TILE_SZ, KV_TILE_SZ, DV);"
  "simd_gemm(VKQ32, KQ, V32, tile_rows, KV_TILE_SZ, DV);")
mend(${cpu}/ops.cpp "            for (int tq = 0; tq < Q_TILE_SZ; tq++) {
                float * kq_row" "            for (int tq = 0; tq < tile_rows; tq++) {
                float * kq_row")
mend(${cpu}/ops.cpp "            memset(KQ, 0, Q_TILE_SZ * KV_TILE_SZ * sizeof(float));
            simd_gemm(KQ, (const float *)Q_q, K_f32, tile_rows, DK, KV_TILE_SZ);
            ggml_vec_scale_f32(Q_TILE_SZ * KV_TILE_SZ, KQ, scale);"
  "            memset(KQ, 0, tile_rows * KV_TILE_SZ * sizeof(float));
            simd_gemm(KQ, (const float *)Q_q, K_f32, tile_rows, DK, KV_TILE_SZ);
            ggml_vec_scale_f32(tile_rows * KV_TILE_SZ, KQ, scale);")

# Laying out a prompt's attention.
configure_file(attention.h ${cpu}/libera-attention.h COPYONLY)
mend(${cpu}/ops.cpp "static void ggml_compute_forward_flash_attn_ext_tiled("
  "#include \"libera-attention.h\"\nstatic void ggml_compute_forward_flash_attn_ext_tiled(")
mend(${cpu}/ops.cpp "                    for (int tk = 0; tk < kv_tile; tk++) {
                        mask32[tq * KV_TILE_SZ + tk] = slope * GGML_CPU_FP16_TO_FP32(mp_row[ic + tk]);
                        if (mask32[tq * KV_TILE_SZ + tk] != -INFINITY) {
                            can_skip = false;
                        }
                    }"
  "                    can_skip &= libera_mask(mask32 + tq * KV_TILE_SZ, mp_row + ic, kv_tile, slope);")
mend(${cpu}/ops.cpp "            for (int tk = 0; tk < kv_tile; tk++) {
                const char * k_data = (const char *)k->data + (ic + tk)*nbk1 + ik2*nbk2 + ik3*nbk3;
                if (kv_type"
  "            const int laid = libera_lay_keys(K_f32, KV_TILE_SZ, (const char *)k->data + ic*nbk1 + ik2*nbk2 + ik3*nbk3, nbk1,
                                             kv_type, DK, kv_tile);
            for (int tk = laid; tk < kv_tile; tk++) {
                const char * k_data = (const char *)k->data + (ic + tk)*nbk1 + ik2*nbk2 + ik3*nbk3;
                if (kv_type")

# Of sound shorter than half a minute whisper attends to fewer positions, filled up to 256 for the sake of GPUs. Nothing empties what
# fills them: it is left over from earlier sound, and was heard as words said twice or not at all.
set(whisper ${WHISPER_SOURCE}/src/whisper.cpp)
mend(${whisper} "const int n_ctx_pad = GGML_PAD(n_ctx, 256);"
  "const int n_ctx_pad = wctx.params.use_gpu ? GGML_PAD(n_ctx, 256) : n_ctx;")
mend(${whisper} "const int n_audio_ctx_pad = GGML_PAD(n_audio_ctx, 256);"
  "const int n_audio_ctx_pad = wctx.params.use_gpu ? GGML_PAD(n_audio_ctx, 256) : n_audio_ctx;")

# Threads wait for each other awake for a moment, then asleep.
if (CMAKE_SYSTEM_NAME STREQUAL Linux)
  configure_file(barrier.h ${cpu}/libera-barrier.h COPYONLY)
  mend(${cpu}/ggml-cpu.c "    #pragma omp barrier\n"
    "    libera_barrier(&tp->n_barrier, &tp->n_barrier_passed, n_threads);\n")
  mend(${cpu}/ggml-cpu.c "void ggml_barrier(struct" "#include \"libera-barrier.h\"\nvoid ggml_barrier(struct")
endif()
