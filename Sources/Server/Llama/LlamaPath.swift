/// The addresses of llama.cpp's own that its clients ask for beside those of OpenAI's.
enum LlamaPath: String, CaseIterable {
  case completion, props

  var path: String { "/\(rawValue)" }
  static func has(_ path: String) -> Bool { allCases.contains { $0.path == path } }
}
