// Checks of the ways to compute in whole numbers that SystemLibraries/CEncoder has, without a model. InferenceTests asks for them on the
// processor that builds; Tests/Encoder/run.sh on those that are only imitated.
#pragma once
#include <stdbool.h>

/// Whether its sums of odd shapes and extreme values are those of the plainest loops.
bool ways_sums(const char *way);

/// Whether vectors of whole texts, of one to seventy tokens, have the bytes that they have on every processor.
bool ways_texts(const char *way);
