#pragma once
#include <gguf.h>
#include <llama.h>
#include <libera-templates.h>

/// Engine/products.h
void libera_batches_from(int products, int tiles);
