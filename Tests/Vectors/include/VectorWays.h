// Checks of each way to compute that SystemLibraries/CVector has, beside the plainest loops: odd shapes and extreme values.
#pragma once
#include <stdbool.h>

/// Whether this processor has the way: "flat", "middle" (AVX2) or "wide" (AVX-512).
bool vector_ways_has(const char *way);

/// How many of its results are off by more than floats explain.
int vector_ways_wrong_estimates(const char *way);
int vector_ways_wrong_products(const char *way);
