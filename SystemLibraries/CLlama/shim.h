#pragma once
#include <llama.h>
#include <libera-templates.h>
