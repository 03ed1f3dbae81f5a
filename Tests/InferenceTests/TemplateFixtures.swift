import Testing

/// Chat templates in the published formats of the families people use, each with what it must make of one conversation.
struct TemplateFixture: CustomTestStringConvertible {
  var family: String
  var source: String
  var beginning = "<s>"
  var end = "</s>"
  var takesSystem = true
  /// Of: system "S", user "U1", assistant "A1", user "U2", and the opening of the answer.
  var rendered: String

  var testDescription: String { family }

  static let all = [llama3, gemma, phi, qwen, mistral]

  static let llama3 = TemplateFixture(
    family: "Llama 3",
    source: """
      {%- for message in messages %}{%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' \
      + message['content'] | trim + '<|eot_id|>' %}{%- if loop.first %}{%- set content = bos_token + content %}{%- endif %}\
      {{- content }}{%- endfor %}{%- if add_generation_prompt %}\
      {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}
      """,
    beginning: "<|begin_of_text|>", end: "<|eot_id|>",
    rendered: """
      <|begin_of_text|><|start_header_id|>system<|end_header_id|>

      S<|eot_id|><|start_header_id|>user<|end_header_id|>

      U1<|eot_id|><|start_header_id|>assistant<|end_header_id|>

      A1<|eot_id|><|start_header_id|>user<|end_header_id|>

      U2<|eot_id|><|start_header_id|>assistant<|end_header_id|>


      """)

  static let gemma = TemplateFixture(
    family: "Gemma",
    source: """
      {{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}\
      {% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\
      {{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}\
      {% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}\
      {{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}\
      {% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}
      """,
    beginning: "<bos>", end: "<eos>", takesSystem: false,
    // A system message has no place of its own here; it opens the first message of the person.
    rendered: """
      <bos><start_of_turn>user
      S
      U1<end_of_turn>
      <start_of_turn>model
      A1<end_of_turn>
      <start_of_turn>user
      U2<end_of_turn>
      <start_of_turn>model

      """)

  static let phi = TemplateFixture(
    family: "Phi",
    source: """
      {% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}\
      {% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}\
      {% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}{% endfor %}\
      {% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}
      """,
    end: "<|endoftext|>",
    rendered: """
      <|system|>
      S<|end|>
      <|user|>
      U1<|end|>
      <|assistant|>
      A1<|end|>
      <|user|>
      U2<|end|>
      <|assistant|>

      """)

  static let qwen = TemplateFixture(
    family: "Qwen",
    source: """
      {%- if messages[0]['role'] == 'system' %}{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\
      {%- else %}{{- '<|im_start|>system\\nYou are Qwen.<|im_end|>\\n' }}{%- endif %}\
      {%- for message in messages %}{%- if (message.role == 'user') or (message.role == 'system' and not loop.first) \
      or (message.role == 'assistant') %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\
      {%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
      """,
    beginning: "", end: "<|im_end|>",
    rendered: """
      <|im_start|>system
      S<|im_end|>
      <|im_start|>user
      U1<|im_end|>
      <|im_start|>assistant
      A1<|im_end|>
      <|im_start|>user
      U2<|im_end|>
      <|im_start|>assistant

      """)

  static let mistral = TemplateFixture(
    family: "Mistral",
    source: """
      {%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content'] %}\
      {%- set loop_messages = messages[1:] %}{%- else %}{%- set loop_messages = messages %}{%- endif %}{{- bos_token }}\
      {%- for message in loop_messages %}{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\
      {{- raise_exception('roles must alternate') }}{%- endif %}{%- if message['role'] == 'user' %}\
      {%- if loop.first and system_message is defined %}{{- ' [INST] ' + system_message + '\\n\\n' + message['content'] + ' [/INST]' }}\
      {%- else %}{{- ' [INST] ' + message['content'] + ' [/INST]' }}{%- endif %}{%- elif message['role'] == 'assistant' %}\
      {{- ' ' + message['content'] + eos_token }}{%- endif %}{%- endfor %}
      """,
    rendered: "<s> [INST] S\n\nU1 [/INST] A1</s> [INST] U2 [/INST]")
}
