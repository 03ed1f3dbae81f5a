import Commands
import Foundation

/// What the understander makes of examples it was not trained on.
struct Evaluation {
  struct Judged {
    var example: Example
    var result: Understanding
    var evidence: IntentEvidence
    var candidate: Intent
    /// The frame is right as a whole: intent and every marked word in its place.
    var right: Bool
    var slots: [String: (found: Int, given: Int, wanted: Int)]
  }

  var judged: [Judged] = []
  /// Coefficients for `confidence`; the frames' own confidences are of no account while the calibration is being made.
  var calibration: [Double] = []

  init(_ examples: [Example], _ model: IntentModel, _ resolver: TimeResolver, readings: Readings?) {
    let understander = Understander(model: model)
    for example in examples {
      let (result, evidence, candidate) = understander.evidence(
        example.text, with: resolver, reading: readings.flatMap { $0[example.text] })
      // A grammar tells them, and no corpus marks them: as frames called wrong they would spoil the calibration.
      if Self.ofAlarms.contains(result.frame.intent) { continue }
      let slots = Self.compare(example, result)
      let whole = slots.values.allSatisfy { $0.found == $0.wanted }
      judged.append(
        Judged(
          example: example, result: result, evidence: evidence, candidate: candidate,
          right: result.frame.intent == example.intent && whole, slots: slots))
    }
  }

  private static let ofAlarms: Set<Intent> = [.setAlarm, .stopAlarm, .showAlarms]

  func confidence(_ one: Judged) -> Double { one.evidence.probability(calibration) }

  static func words(_ text: String) -> Set<String> {
    let skipped: Set<String> = ["a", "an", "the", "my", "and", "to", "at", "on", "in", "of", "for", "dot", "s"]
    // A spelled-out address is the address.
    var text = text
    if text.contains(" dot ") {
      text = text.replacingOccurrences(of: " at ", with: "@").replacingOccurrences(of: " dot ", with: ".")
        .replacingOccurrences(of: " ", with: "")
    }
    let parts = text.lowercased().replacingOccurrences(of: "'s", with: "")
      .split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return Set(parts).subtracting(skipped)
  }

  /// Per slot: marked pieces found, pieces given, pieces wanted. A piece is found when its words are all in the slot and the
  /// slot holds at most as many words again.
  private static func compare(_ example: Example, _ result: Understanding) -> [String: (
    found: Int, given: Int, wanted: Int
  )] {
    let slots = result.frame.slots
    var found: [String: (found: Int, given: Int, wanted: Int)] = [:]
    func add(_ name: String, _ ours: [String], _ wanted: [String]) {
      let mine = words(ours.joined(separator: " "))
      let hits = wanted.filter {
        words($0).isSubset(of: mine) && mine.count <= max(3, words(wanted.joined(separator: " ")).count * 2 + 2)
      }.count
      // The corpora mark no title in "remind me to call mum": what they leave open is not counted.
      if !["authored", "written"].contains(example.source), wanted.isEmpty { return }
      if !ours.isEmpty || !wanted.isEmpty { found[name] = (hits, ours.isEmpty ? 0 : max(1, hits), wanted.count) }
    }
    switch example.intent {
    case .createEvent, .addReminder:
      add("title", slots.title.map { [$0] } ?? [], example.slots["title"] ?? [])
      let times = example.slots["time"] ?? []
      let hasTime = slots.datetimePoint != nil || slots.datetimeRange != nil || slots.durationMinutes != nil
      if !times.isEmpty || hasTime {
        found["time"] = (hasTime && !times.isEmpty ? times.count : 0, hasTime ? max(1, times.count) : 0, times.count)
      }
    case .createNote: add("title", slots.title.map { [$0] } ?? [], example.slots["title"] ?? [])
    case .sendEmail where ["authored", "written"].contains(example.source):
      add("email_to", slots.emailTo, example.slots["to"] ?? [])
      add("email_subject", slots.emailSubject.map { [$0] } ?? [], example.slots["subject"] ?? [])
      add("email_body", slots.emailBody.map { [$0] } ?? [], example.slots["body"] ?? [])
    default: break
    }
    return found
  }

  /// Right or wrong for every frame that could be acted on.
  var calibrationSamples: [(values: [Double], right: Bool)] {
    judged.filter { $0.result.frame.intent != .none }.map { ($0.evidence.values, $0.right) }
  }

  var report: [String] {
    var lines: [String] = []
    var f1s: [Double] = []
    var line = ""
    for intent in Intent.allCases {
      let hit = judged.count { $0.example.intent == intent && $0.result.frame.intent == intent }
      let given = judged.count { $0.result.frame.intent == intent }
      let wanted = judged.count { $0.example.intent == intent }
      guard wanted > 0 else { continue }
      let f1 = 2 * Double(hit) / Double(max(1, given + wanted))
      f1s.append(f1)
      line += " \(intent.rawValue) \(hit)/\(wanted) of \(given) F1 \(round(f1))"
    }
    lines.append("intents:" + line)
    let actions = judged.filter { $0.example.intent != .none }
    let recalled = actions.count { $0.result.frame.intent == $0.example.intent }
    lines.append(
      "macro-F1 \(round(f1s.reduce(0, +) / Double(max(1, f1s.count)))), action recall \(share(recalled, actions.count)), whole frames right \(share(actions.count { $0.right }, actions.count))"
    )
    var slotLine = ""
    for name in ["title", "time", "email_to", "email_subject", "email_body"] {
      let all = actions.compactMap { $0.slots[name] }
      let (hit, given, wanted) = all.reduce((0, 0, 0)) { ($0.0 + $1.found, $0.1 + $1.given, $0.2 + $1.wanted) }
      if wanted > 0 { slotLine += " \(name) \(round(2 * Double(hit) / Double(given + wanted)))" }
    }
    lines.append("slot F1:" + slotLine)
    let accepted = judged.filter { $0.result.frame.intent != .none && confidence($0) >= 0.91 }
    let wrongIntent = accepted.count { $0.result.frame.intent != $0.example.intent }
    let onNothing = accepted.count { $0.example.intent == .none }
    let good = actions.filter { $0.right }
    let asked = good.count { confidence($0) < 0.91 }
    lines.append(
      "at 0.91: accepted \(accepted.count), wrong intent \(wrongIntent) (of these \(onNothing) were no command), wrong frame \(accepted.count { !$0.right }); good commands below 0.91: \(share(asked, good.count))"
    )
    let done = accepted.filter { !$0.result.frame.policy.needsConfirmation }
    lines.append(
      "done unasked: \(done.count), wrong intent \(done.count { $0.result.frame.intent != $0.example.intent }), wrong frame \(done.count { !$0.right })"
    )
    lines += asking
    lines.append("ECE of action frames \(round(expectedError))")
    return lines
  }

  /// What a person is asked for nothing: cards for what is no command, which in a chat come instead of an answer, and for commands
  /// that were understood.
  private var asking: [String] {
    let others = judged.filter { $0.example.intent == .none }
    let good = judged.filter { $0.example.intent != .none && $0.right }
    let asked = good.filter { decision($0) != .act }
    let clear = asked.count { confidence($0) >= 0.91 }
    return [
      "no command: done unasked \(share(others.count { decision($0) == .act }, others.count)), a card that only asks "
        + share(others.count { decision($0) != .act && isCard($0) }, others.count),
      "right commands that are asked about: \(share(asked.count, good.count)), for another reason than confidence \(clear); "
        + "in a chat taken for a question \(share(good.count { !isCard($0) }, good.count))",
    ]
  }

  func decision(_ one: Judged) -> Decision {
    var frame = one.result.frame
    frame.policy.confidence = confidence(one)
    return Gate().decide(frame, recognition: nil)
  }

  /// Whether a chat takes it for a command.
  private func isCard(_ one: Judged) -> Bool {
    one.result.frame.intent != .none && (decision(one) != .ask || one.result.isAskedFor)
  }

  /// What is done unasked and wrong.
  var wrongs: [Judged] { judged.filter { decision($0) == .act && !$0.right } }

  var expectedError: Double {
    let frames = judged.filter { $0.result.frame.intent != .none }
    var total = 0.0
    for bin in 0..<10 {
      let inside = frames.filter { min(9, Int(confidence($0) * 10)) == bin }
      guard !inside.isEmpty else { continue }
      let mean = inside.map(confidence).reduce(0, +) / Double(inside.count)
      total += abs(mean - Double(inside.count { $0.right }) / Double(inside.count)) * Double(inside.count)
    }
    return total / Double(max(1, frames.count))
  }

  private func round(_ value: Double) -> String { String(format: "%.3f", value) }
  private func share(_ part: Int, _ whole: Int) -> String {
    "\(part)/\(whole) = \(round(Double(part) / Double(max(1, whole))))"
  }
}
