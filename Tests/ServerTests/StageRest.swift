import Foundation

/// More of what stands on the stage: who answers, what is answered, a long conversation.
extension Props {
  nonisolated static func providers(_ mode: String, _ settings: [String: Any], _ installed: Set<String>) -> [[String:
    Any]]
  {
    let set = (mode == "deep" ? settings["deepPack"] as? String : nil) ?? settings["pack"] as? String
    let pack = set ?? installed.sorted().first { $0 != "leaf-ir" }
    return [
      [
        "provider": "local", "pack": pack ?? NSNull(), "available": pack != nil, "answers": pack != nil,
        "pinned": false,
        "reason": pack.map { "\($0) is ready" } ?? "no pack is installed",
      ],
      [
        "provider": "extractive", "available": true, "answers": pack == nil, "pinned": false,
        "reason": "quotes your documents",
      ],
    ]
  }

  static let proposal = line([
    "id": "qwen2.5-3b", "name": "Qwen2.5 3B Instruct", "bytes": 2_100_000_000, "parameters": 3_100_000_000,
    "instead_of": "SmolLM2 135M Instruct", "tokens_per_s": 36, "measured": false, "source": "the publisher",
  ])

  /// The sentences of an answer and the passages that carry each, by a word in the question.
  static func sentences(_ low: String) -> [(String, [Int])] {
    if low.contains("markdown") {
      return [
        ("# Steps\n\n1. Switch the boiler off.\n", [0]), ("2. Open the cover.\n\n", []),
        ("| Part | Months |\n|---|---|\n| Filter | 6 |\n\n", [0]), ("```sh\nboiler --status\n```\n\n", []),
        ("See [the guide](https://evil.example/x) <img src=https://evil.example/p.png>.", []),
      ]
    }
    if low.contains("arabic") { return [("يجب تغيير المرشح كل ستة أشهر.", [0]), ("افصل التيار أولا.", [])] }
    if low.contains("long") {
      return (1...60).map { ("Sentence number \($0) says something about the filter and its care.", [$0 % 3]) }
    }
    return [
      ("Every **six months**, or sooner when the red lamp is lit.", [0]),
      ("The gauge should read between 1.2 and 1.8 bar.", [1]),
      ("Most people do this in spring.", []),
    ]
  }

  static let longTalk = "00000000-0000-4000-8000-000000000050"

  static func long(turns: Int) -> [String: Any] {
    var previous = ""
    let all = (1...turns).map { number -> [String: Any] in
      let id = "turn-\(number)"
      defer { previous = id }
      return [
        "id": id, "parent": previous, "question": "Question number \(number)?", "shown": true,
        "record": [
          "id": id, "answer": "Answer number **\(number)** is here.", "task": "documents", "abstained": false,
          "sentences": [
            ["text": "Answer number **\(number)** is here.", "support": [0], "supported": true] as [String: Any]
          ],
          "citations": citations, "provider": "extractive", "mode": "fast", "retrieval_used": true,
          "passages_consulted": 3, "timings": [String: Any](), "limits": [Any](), "dropped": [Any](),
        ] as [String: Any],
      ]
    }
    return ["id": longTalk, "title": "A long conversation", "turns": all]
  }
}
