import Core
import Testing

@testable import Resources

private let large = Device(totalMemory: 32 << 30, cores: 8)

private func situation(
  _ mode: Mode = .deep, heat: Heat = .nominal, memory: Memory = .normal, battery: Battery = .normal,
  lowPower: Bool = false, device: Device = large, promptSpeed: Double? = 400,
  _ change: (inout Settings) -> Void = { _ in }
) -> Situation {
  var settings = Settings()
  change(&settings)
  let tiers = Tiers(
    heat: Tier(heat, reason: "test"), memory: Tier(memory, reason: "test"), battery: Tier(battery, reason: "test"),
    lowPower: lowPower)
  return Situation(tiers: tiers, mode: mode, settings: settings, device: device, promptSpeed: promptSpeed)
}

@Suite("Limits") struct LimitsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var given: Situation
    var mode: Mode
    var passages: Int
    var context: Int
    var tokens: Int
    var pause: Int
    var evidence: Int
    /// embedding, heavy inference, loads
    var allowed: [Bool]
    var testDescription: String { name }

    init(
      _ name: String, _ given: Situation, _ mode: Mode, passages: Int, context: Int, tokens: Int, pause: Int = 0,
      evidence: Int, _ allowed: [Bool] = [true, true, true]
    ) {
      self.name = name
      self.given = given
      self.mode = mode
      self.passages = passages
      self.context = context
      self.tokens = tokens
      self.pause = pause
      self.evidence = evidence
      self.allowed = allowed
    }
  }

  static let cases = [
    Case("Fast, nothing presses", situation(.fast), .fast, passages: 16, context: 4096, tokens: 384, evidence: 600),
    Case("Deep, nothing presses", situation(), .deep, passages: 24, context: 16_384, tokens: 1024, evidence: 2400),
    Case(
      "Deep on 8 GB", situation(device: Device(totalMemory: 8 << 30, cores: 4)), .deep, passages: 24, context: 8192,
      tokens: 1024, evidence: 2400),
    Case(
      "Deep on 3 GB: evidence leaves half of the context",
      situation(device: Device(totalMemory: 3 << 30, cores: 4)), .deep, passages: 24, context: 4096, tokens: 1024,
      evidence: 2048),
    Case(
      "Deep, warm", situation(heat: .fair), .deep, passages: 16, context: 16_384, tokens: 1024, pause: 8, evidence: 2400
    ),
    Case("Fast, warm", situation(.fast, heat: .fair), .fast, passages: 16, context: 4096, tokens: 384, evidence: 600),
    Case(
      "Deep, hot", situation(heat: .serious), .deep, passages: 3, context: 4096, tokens: 320, pause: 40, evidence: 600,
      [false, true, true]),
    Case(
      "Fast, hot", situation(.fast, heat: .serious), .fast, passages: 3, context: 4096, tokens: 320, pause: 40,
      evidence: 600, [false, true, true]),
    Case(
      "Deep, too hot", situation(heat: .critical), .fast, passages: 2, context: 2048, tokens: 96, pause: 100,
      evidence: 300, [false, false, false]),
    Case(
      "Deep, memory short", situation(memory: .warning), .deep, passages: 24, context: 4096, tokens: 1024,
      evidence: 2048, [true, true, false]),
    Case(
      "Deep, memory gone", situation(memory: .critical), .fast, passages: 2, context: 2048, tokens: 96, evidence: 600,
      [false, false, false]),
    Case(
      "Deep, low power", situation(lowPower: true), .deep, passages: 6, context: 4096, tokens: 384, evidence: 1200),
    Case(
      "Deep, battery low", situation(battery: .low), .deep, passages: 6, context: 4096, tokens: 384, evidence: 1200),
    Case(
      "Deep at 8 %", situation(battery: .critical), .fast, passages: 3, context: 4096, tokens: 192, evidence: 600,
      [false, true, true]),
    Case(
      "Hot and short of memory: the strictest of both",
      situation(heat: .serious, memory: .critical), .fast, passages: 2, context: 2048, tokens: 96, pause: 40,
      evidence: 600, [false, false, false]),
    Case(
      "More passages and context set than heat allows",
      situation(heat: .serious) {
        $0.passages = 20
        $0.contextTokens = 32_768
        $0.generationTokens = 4000
        $0.evidenceSeconds = 30
      }, .deep, passages: 3, context: 4096, tokens: 320, pause: 40, evidence: 600, [false, true, true]),
    Case(
      "Less set than heat would allow",
      situation(heat: .serious) {
        $0.passages = 1
        $0.contextTokens = 1024
        $0.generationTokens = 50
        $0.evidenceSeconds = 0.5
      }, .deep, passages: 1, context: 1024, tokens: 50, pause: 40, evidence: 200, [false, true, true]),
    Case(
      "More set than usual, and nothing presses",
      situation(.fast) {
        $0.passages = 20
        $0.contextTokens = 32_768
      }, .fast, passages: 20, context: 32_768, tokens: 384, evidence: 600),
  ]

  @Test("Each situation gives the limits of the table", arguments: cases)
  func table(_ one: Case) {
    let limits = Limits.decide(one.given)
    #expect(limits.mode.value == one.mode)
    #expect(limits.passages.value == one.passages)
    #expect(limits.contextTokens.value == one.context)
    #expect(limits.generationTokens.value == one.tokens)
    #expect(limits.pauseMs.value == one.pause)
    #expect(limits.evidenceTokens.value == one.evidence)
    #expect([limits.embedding.value, limits.heavyInference.value, limits.loads.value] == one.allowed)
  }

  @Test("No combination of tiers allows more than either tier alone")
  func monotonous() {
    for mode in Mode.allCases {
      for heat in Heat.allCases {
        for memory in Memory.allCases {
          for battery in Battery.allCases {
            let both = Limits.decide(situation(mode, heat: heat, memory: memory, battery: battery))
            for alone in [
              situation(mode, heat: heat), situation(mode, memory: memory), situation(mode, battery: battery),
            ].map(Limits.decide) {
              #expect(both.passages.value <= alone.passages.value)
              #expect(both.contextTokens.value <= alone.contextTokens.value)
              #expect(both.generationTokens.value <= alone.generationTokens.value)
              #expect(both.evidenceTokens.value <= alone.evidenceTokens.value)
              #expect(both.pauseMs.value >= alone.pauseMs.value)
              #expect(both.partialIntervalMs.value >= alone.partialIntervalMs.value)
              #expect(alone.heavyInference.value || !both.heavyInference.value)
              #expect(alone.loads.value || !both.loads.value)
              #expect(alone.embedding.value || !both.embedding.value)
            }
          }
        }
      }
    }
  }

  @Test("Every entry has a reason, and what the device forced says so") func reasons() {
    let calm = Limits.decide(situation(.fast))
    #expect(calm.all.allSatisfy { !$0.reason.isEmpty })
    #expect(calm.inForce.isEmpty)
    let hot = Limits.decide(situation(heat: .critical) { $0.passages = 20 })
    #expect(hot.mode.reason.contains("Deep became Fast"))
    #expect(hot.passages.reason.contains("20 was set"))
    #expect(
      Set(hot.inForce.map(\.what)).isSuperset(of: [
        "mode", "passages", "pause_ms", "embedding", "heavy_inference", "loads",
      ]))
  }

  @Test("Fast and Deep differ in more than length") func modes() {
    let (fast, deep) = (Limits.decide(situation(.fast)), Limits.decide(situation(.deep)))
    #expect(fast.passages.value < deep.passages.value)
    #expect(fast.preference.value != deep.preference.value)
  }

  @Test("A device whose speed is unknown reads by an assumed one, and says so") func unknownSpeed() {
    let limits = Limits.decide(situation(.fast, promptSpeed: nil))
    #expect(limits.evidenceTokens.value == 300)
    #expect(limits.evidenceTokens.reason.contains("assumed"))
  }

  @Test("Limits cross the socket as numbers, flags and words") func json() throws {
    let entries = Limits.decide(situation(heat: .critical)).all
    let line = try JSON.line(entries)
    #expect(line.contains(#""what":"passages""#) && line.contains(#""value":2"#))
    #expect(try JSON.decode([LimitEntry].self, from: JSON.encode(entries)) == entries)
  }
}
