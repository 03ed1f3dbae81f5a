import CLlama
import Foundation
import Inference
import Synchronization

/// Rewrites a pack's weights to another layout, from one descriptor to another.
struct Quantizer {
  let source: PackFile
  let target: CInt

  private static let layouts: [String: llama_ftype] = [
    "q8_0": LLAMA_FTYPE_MOSTLY_Q8_0, "q4_0": LLAMA_FTYPE_MOSTLY_Q4_0, "q4_k_m": LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "q5_k_m": LLAMA_FTYPE_MOSTLY_Q5_K_M, "f16": LLAMA_FTYPE_MOSTLY_F16,
  ]

  func run(_ request: QuantizeRequest, progress: @escaping (Double) throws -> Void) throws {
    guard let type = Self.layouts[request.layout.lowercased()] else { throw EngineError.layoutUnknown(request.layout) }
    try source.checkHeader()
    var parameters = llama_model_quantize_default_params()
    parameters.ftype = type
    parameters.allow_requantize = true

    EngineLog.clear()
    let listener = ProgressLines(progress)
    let status = EngineLog.listening(listener.hear) {
      // llama.cpp opens files by name only; these names mean the open descriptors.
      llama_model_quantize("/proc/self/fd/\(source.descriptor)", "/proc/self/fd/\(target)", &parameters)
    }
    if let failure = listener.failure { throw failure }
    guard status == 0 else {
      throw EngineError.quantizationFailed(reason: EngineLog.reason(orElse: "llama.cpp gave no reason"))
    }
    try progress(1)
  }
}

/// llama.cpp tells how far it is only in its log: "[  12/ 272] blk.0...".
// Unchecked: it is heard only on the thread that waits for the rewriting, as llama.cpp logs there.
private final class ProgressLines: @unchecked Sendable {
  private let progress: (Double) throws -> Void
  private(set) var failure: (any Error)?

  init(_ progress: @escaping (Double) throws -> Void) { self.progress = progress }

  func hear(_ line: String) {
    guard line.hasPrefix("["), failure == nil else { return }
    let numbers = line.dropFirst().prefix { $0 != "]" }.split(separator: "/").map { $0.filter(\.isNumber) }
    guard numbers.count == 2, let done = Double(numbers[0]), let all = Double(numbers[1]), all > 0 else { return }
    do { try progress((done - 1) / all) } catch { failure = error }
  }
}
