/// The addresses of Ollama's API, from which its routes are made. They lie under the same `/api` as our operations, so no operation
/// bears one of these names; a test holds them apart.
enum OllamaPath: String, CaseIterable {
  case chat, generate, embed, embeddings, tags, show, ps, pull, copy, delete, version

  /// What its clients may ask for besides, and is refused in their own words.
  static let refused: Set = ["create", "push", "blobs"]

  static let names = refused.union(allCases.map(\.rawValue))
  static func has(_ path: String) -> Bool { path.hasPrefix("/api/") && names.contains(String(path.dropFirst(5))) }

  var path: String { "/api/\(rawValue)" }
}
