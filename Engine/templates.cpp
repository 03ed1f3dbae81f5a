#include "libera-templates.h"

#include "chat.h"
#include "json-schema-to-grammar.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

struct libera_template {
    common_chat_templates_ptr templates;
};

namespace {
char * copy(const std::string & text) {
    char * out = static_cast<char *>(std::malloc(text.size() + 1));
    if (out) {
        std::memcpy(out, text.c_str(), text.size() + 1);
    }
    return out;
}

// Everything below the C door may throw; nothing may leave it.
template <typename Work> auto guarded(char ** error, Work work) -> decltype(work()) {
    *error = nullptr;
    try {
        return work();
    } catch (const std::exception & failure) {
        *error = copy(failure.what());
    } catch (...) {
        *error = copy("unknown failure");
    }
    return nullptr;
}
}

libera_template * libera_template_open(const char * source, const char * bos, const char * eos, char ** error) {
    return guarded(error, [&]() -> libera_template * {
        auto templates = common_chat_templates_init(nullptr, source, bos, eos);
        return new libera_template{ std::move(templates) };
    });
}

void libera_template_close(libera_template * self) {
    delete self;
}

char * libera_template_render(libera_template * self, const char * messages, const char * tools,
                              int add_generation_prompt, char ** error) {
    return guarded(error, [&]() -> char * {
        common_chat_templates_inputs inputs;
        inputs.messages = common_chat_msgs_parse_oaicompat(common_json::parse(messages));
        if (tools) {
            inputs.tools = common_chat_tools_parse_oaicompat(common_json::parse(tools));
        }
        inputs.add_generation_prompt = add_generation_prompt != 0;
        inputs.use_jinja = true;
        inputs.enable_thinking = false;
        return copy(common_chat_templates_apply(self->templates.get(), inputs).prompt);
    });
}

char * libera_schema_to_grammar(const char * schema, char ** error) {
    return guarded(error, [&]() -> char * { return copy(json_schema_to_grammar(common_json::parse(schema))); });
}

void libera_string_free(char * text) {
    std::free(text);
}
