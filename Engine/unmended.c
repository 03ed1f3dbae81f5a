// In place of products.h where the engine is built without our patches: whoever evaluates may say what it says, and all goes ggml's way.
void libera_batches_from(int products, int tiles);
void libera_batches_from(int products, int tiles) {
    (void) products;
    (void) tiles;
}
