/// The product's version; a change of its first number may change what `--json` means.
package enum Version {
  package static let current = "0.2.0"

  /// What llama.cpp is built of: "llama-cpp-python" and its version.
  package static let engine = pinned("llama", in: String(decoding: PackageResources.pins, as: UTF8.self)) ?? "unknown"

  /// Whether the engine is built with our patches: not with `LIBERA_MENDS=OFF`.
  package static let engineIsMended: Bool = {
    #if LIBERA_UNMENDED
      false
    #else
      true
    #endif
  }()

  /// The package and the version that a line of Engine/pins names, which is built into the program.
  package static func pinned(_ name: String, in pins: String) -> String? {
    for line in pins.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 5, words[0] == name { return "\(words[1]) \(words[2])" }
    }
    return nil
  }
}
