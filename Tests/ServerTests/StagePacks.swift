import Foundation

/// Models that can be fetched: nothing is.
extension Props {
  func packs() -> [Data] {
    [
      ("smollm2-135m", "SmolLM2 135M Instruct", "chat", 134_515_008, 98_362_432, true),
      ("qwen2.5-7b", "Qwen2.5 7B Instruct", "chat", 7_600_000_000, 4_700_000_000, false),
      ("qwen2.5-3b", "Qwen2.5 3B Instruct", "chat", 3_100_000_000, 2_100_000_000, true),
      ("leaf-ir", "Leaf IR", "embed", 22_700_000, 45_000_000, true),
      ("whisper-base", "Whisper base", "speech", 74_000_000, 82_000_000, true),
      ("silero-vad", "Silero VAD", "vad", 300_000, 900_000, true),
    ].map { id, name, kind, parameters, bytes, fits in
      var pack: [String: Any] = [
        "id": id, "name": name, "kind": kind, "parameters": parameters, "bytes": bytes, "fetch_bytes": bytes,
        "licence": "Apache-2.0",
        "quantization": "Q4_K_M", "context": 8192, "verified": installed.contains(id),
        "default": ["smollm2-135m", "leaf-ir"].contains(id),
        "fit": [
          "fits": fits, "context": 8192,
          "reason": fits ? "Needs 190 MB of 7.1 GB." : "Needs 6.2 GB; 3.0 GB can be had.",
        ] as [String: Any],
      ]
      if installed.contains(id) { pack["installed"] = ["quantization": "Q8_0"] }
      return Self.line(pack)
    }
  }

  func pull(_ given: Given, _ emit: @escaping @Sendable (Data) -> Void) async throws {
    for share in 1...20 {
      let done = Double(share) / 20
      emit(
        Self.line([
          "progress": [
            "step": "downloading", "share": done, "done": done * 98e6, "total": 98e6, "speed": 6e6,
            "seconds_left": 20 - share,
          ] as [String: Any]
        ]))
      try await Task.sleep(for: .milliseconds(60))
    }
    installed.insert(given["id"] ?? "")
    emit(Self.line(["done": ["id": given["id"] ?? ""]]))
  }

  func uninstall(_ id: String) { installed.remove(id) }
}
