import CEncoder
import Foundation

/// How the loops that make vectors compute on this processor. Which engine's libraries are loaded is decided elsewhere, and by
/// another variable (`Shipped`): these loops are all in one program.
package enum EncoderWay {
  /// Names a way to take where the processor has it, to compare them: one of `names`.
  package static let variable = "LIBERA_CPU"

  /// What is asked for and what is taken; nil where no way is worth while and llama.cpp makes the vectors.
  package static func chosen(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> (taken: String?, asked: String?) {
    let asked = environment[variable]
    return (cencoder_way(asked).map { String(cString: $0) }, asked)
  }

  /// Those that this processor has, each once.
  package static var names: [String] {
    var names: [String] = []
    var index = 0
    while let name = cencoder_way_at(index).map({ String(cString: $0) }) {
      if !name.isEmpty, !names.contains(name) { names.append(name) }
      index += 1
    }
    return names
  }

  /// A way in words.
  package static func words(_ name: String?) -> String {
    switch name {
    case "bf16": "by loops of our own in bfloat16 (AVX-512)"
    case "avx512vnni": "by loops of our own in eight bits (AVX-512 VNNI)"
    case "avxvnni": "by loops of our own in eight bits (AVX-VNNI)"
    case "avx2": "by loops of our own in eight bits (AVX2)"
    case "i8mm": "by loops of our own in eight bits (NEON, I8MM)"
    case "dotprod": "by loops of our own in eight bits (NEON dot products)"
    case "plain": "by loops of our own in eight bits, without instructions for them: slow"
    case let other?: "by loops of our own (\(other))"
    case nil: "by llama.cpp: loops of our own are not fast on this processor, or not in this build"
    }
  }
}
