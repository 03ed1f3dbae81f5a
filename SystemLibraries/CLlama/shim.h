#pragma once
#include <llama.h>
#include <libera-templates.h>

/// Engine/products.h
void libera_products_from(int tokens);
