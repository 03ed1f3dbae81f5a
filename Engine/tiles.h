// What the loops of eights.h and nibbles.h have in common. Included by them, once they have said what a tile and a panel look like
// (struct libera_rows, struct libera_tokens) and how tokens are laid (libera_lay_tokens).
//
// A tile is sixteen rows of weights side by side, a panel a few tokens. All panels are laid first, by all threads; then each thread lays
// a tile, multiplies all panels with it, and takes the next. Rows are laid anew for every batch, in room for one tile a thread: the
// file's weights stay mapped as they are.
#pragma once

static int64_t libera_panels(const struct ggml_tensor * dst) {
    return (dst->src[1]->ne[1] + LIBERA_TOKENS - 1) / LIBERA_TOKENS;
}

static size_t libera_room(int threads, const struct ggml_tensor * dst) {
    const int64_t blocks = dst->src[0]->ne[0] / LIBERA_BLOCK;
    return blocks * (libera_panels(dst) * sizeof(struct libera_tokens) + threads * sizeof(struct libera_rows)) + 64;
}

// Each thread takes the next rows or tiles that nobody has: a slow one holds up nobody. Its first are those of its own number. It takes a
// few at once that lie one after the other, since memory is fastest from end to end, and never so many that one thread ends much later.
static void libera_share(const struct ggml_compute_params * params) {
    if (params->ith == 0) atomic_store_explicit(&params->threadpool->current_chunk, params->nth, memory_order_relaxed);
    ggml_barrier(params->threadpool);
}

struct libera_walk {
    const struct ggml_compute_params * params;
    int64_t all, few, at, end, next; // next: where those begin that this thread takes then
};
static inline void libera_take(struct libera_walk * walk) {
    walk->at = walk->next;
    walk->end = MIN(walk->at + walk->few, walk->all);
    walk->next = walk->few * atomic_fetch_add_explicit(&walk->params->threadpool->current_chunk, 1, memory_order_relaxed);
}
static struct libera_walk libera_walk(const struct ggml_compute_params * params, int64_t all, int64_t most) {
    const int64_t few = MAX(1, MIN(most, all / (8 * params->nth)));
    struct libera_walk walk = {.params = params, .all = all, .few = few, .next = few * params->ith};
    libera_take(&walk);
    return walk;
}
static inline void libera_go_on(struct libera_walk * walk) {
    if (++walk->at >= walk->end) libera_take(walk);
}
// Which one this thread comes to so many later; none is as many as there are, or more.
static inline int64_t libera_later(const struct libera_walk * walk, int64_t steps) {
    const int64_t at = walk->at + steps;
    return at < walk->end ? at : walk->next + (at - walk->end);
}

struct libera_work {
    int64_t blocks, tokens, tiles;
    const struct libera_tokens * laid; // a panel's blocks one after the other, then the next panel's
    struct libera_rows * tile; // this thread's own
};

// Lays the tokens and shares out the tiles.
static struct libera_work libera_begin(const struct ggml_compute_params * params, const struct ggml_tensor * dst) {
    const struct ggml_tensor * tokens = dst->src[1];
    const int64_t blocks = dst->src[0]->ne[0] / LIBERA_BLOCK, panels = libera_panels(dst), count = tokens->ne[1];
    struct libera_tokens * laid = (struct libera_tokens *) (((uintptr_t) params->wdata + 63) & ~(uintptr_t) 63);
    struct libera_rows * tile = (struct libera_rows *) (laid + panels * blocks) + params->ith * blocks;
    for (int64_t panel = params->ith; panel < panels; panel += params->nth) {
        const int64_t begin = panel * LIBERA_TOKENS;
        libera_lay_tokens(laid + panel * blocks, (const char *) tokens->data + begin * tokens->nb[1], tokens->nb[1],
            (int) MIN(LIBERA_TOKENS, count - begin), blocks, count == 1);
    }
    libera_share(params);
    return (struct libera_work) {blocks, count, (dst->src[0]->ne[1] + LIBERA_ROWS - 1) / LIBERA_ROWS, laid, tile};
}

// The rows of a tile as they lie, and where their sums with the first token go.
struct libera_stretch {
    const char * weights;
    float * result;
    int rows;
};
static inline struct libera_stretch libera_stretch_of(const struct ggml_tensor * dst, int64_t number) {
    const struct ggml_tensor * weights = dst->src[0];
    const int64_t first = number * LIBERA_ROWS;
    return (struct libera_stretch) {
        (const char *) weights->data + first * weights->nb[1], (float *) dst->data + first,
        (int) MIN(LIBERA_ROWS, weights->ne[1] - first),
    };
}

// Rows that lie one after the other come from memory up to three times as fast when they are first read from end to end: sixteen
// abreast the processor does not see what comes next.
static void libera_fetch(const char * rows, size_t bytes) {
    __m128i seen = _mm_setzero_si128();
    for (size_t at = 0; at + 8 <= bytes; at += 64) seen = _mm_or_si128(seen, _mm_loadu_si64(rows + at));
    __asm__ volatile("" : : "x"(seen));
}

// The rows of the tile that this thread comes to next, where that is a whole one.
static inline const char * libera_ahead(const struct ggml_tensor * dst, const struct libera_walk * walk) {
    const int64_t next = libera_later(walk, 1);
    return next < walk->all - 1 ? libera_stretch_of(dst, next).weights : NULL;
}

// Calls for so many more bytes of the rows that come next, so that memory works while these are laid out or multiplied. A little with
// every block: many calls at once would hold up the reading of these.
static inline const char * libera_call(const char * ahead, size_t bytes) {
    if (!ahead) return NULL;
    for (size_t at = 0; at < bytes; at += 64) _mm_prefetch(ahead + at, _MM_HINT_T1);
    return ahead + bytes;
}

// Up to as many tokens as a panel holds, with a tile.
static void libera_multiply_panel(
    bool are_nibbles, const struct libera_rows * tile, const struct libera_tokens * panel, int64_t blocks, char * result,
    size_t stride, int tokens, int rows);

static inline void libera_multiply_panels(
    const struct libera_work * work, const struct ggml_tensor * dst, struct libera_stretch here, bool are_nibbles) {
    const struct libera_tokens * panel = work->laid;
    for (int64_t begin = 0; begin < work->tokens; begin += LIBERA_TOKENS, panel += work->blocks) {
        libera_multiply_panel(are_nibbles, work->tile, panel, work->blocks, (char *) here.result + begin * dst->nb[1],
            dst->nb[1], (int) MIN(LIBERA_TOKENS, work->tokens - begin), here.rows);
    }
}
