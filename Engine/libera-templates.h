// llama.cpp keeps Jinja chat templates and JSON-schema-to-grammar in C++ only. This is the one C door to them.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBERA_TEMPLATES_API __attribute__((visibility("default")))

typedef struct libera_template libera_template;

// Parses a Jinja chat template. Returns NULL and sets *error (free with libera_string_free) when it cannot be parsed.
LIBERA_TEMPLATES_API libera_template * libera_template_open(const char * source, const char * bos, const char * eos,
                                                            char ** error);
LIBERA_TEMPLATES_API void libera_template_close(libera_template * self);

// Renders OpenAI-style messages (a JSON array of {"role", "content"}); tools is a JSON array or NULL.
// Returns NULL and sets *error when the template refuses the messages.
LIBERA_TEMPLATES_API char * libera_template_render(libera_template * self, const char * messages, const char * tools,
                                                   int add_generation_prompt, char ** error);

// GBNF for a JSON schema, or NULL and *error.
LIBERA_TEMPLATES_API char * libera_schema_to_grammar(const char * schema, char ** error);

LIBERA_TEMPLATES_API void libera_string_free(char * text);

#ifdef __cplusplus
}
#endif
