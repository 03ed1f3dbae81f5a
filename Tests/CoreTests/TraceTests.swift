import Foundation
import Testing

@testable import Core

@Suite("The trace of the last answers")
struct TraceTests {
  private func answer(at second: Double, ms: [Double]) -> TraceLog.Entry {
    TraceLog.Entry(
      began: Date(timeIntervalSince1970: second), phases: ms.enumerated().map { .init("part \($0)", ms: $1) },
      moments: [.init("pause_ms: 0 → 20", atMs: 5)], names: ["mode": "fast"], numbers: ["prompt tokens": 40],
      device: ["free memory in MB": 4000])
  }

  @Test("Its events are those of the trace event format, with times in microseconds")
  func format() throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: JSON.encode(Trace([answer(at: 10, ms: [20, 30.5])]))) as? [String: Any])
    let events = try #require(object["traceEvents"] as? [[String: Any]])
    func named(_ name: String) throws -> [String: Any] { try #require(events.first { $0["name"] as? String == name }) }
    for event in events {
      #expect(event["pid"] is Int && event["tid"] is Int && event["ts"] is Int)
      let phase = try #require(event["ph"] as? String)
      #expect(["X", "i", "C", "M"].contains(phase))
      #expect((event["dur"] != nil) == (phase == "X"))
      #expect((event["s"] as? String == "t") == (phase == "i"))
    }
    let whole = try named("answer")
    #expect(whole["ts"] as? Int == 10_000_000 && whole["dur"] as? Int == 50_500)
    let arguments = try #require(whole["args"] as? [String: Any])
    #expect(arguments["mode"] as? String == "fast" && arguments["prompt tokens"] as? Double == 40)
    let second = try named("part 1")
    #expect(second["ts"] as? Int == 10_020_000 && second["dur"] as? Int == 30_500)
    #expect(try named("pause_ms: 0 → 20")["ts"] as? Int == 10_005_000)
    #expect((try named("free memory in MB")["args"] as? [String: Double])?["value"] == 4000)
    #expect((try named("thread_name")["args"] as? [String: String])?["name"] == "answers")
  }

  @Test("Answers side by side stand on lanes of their own, answers after each other on one")
  func lanes() {
    let trace = Trace([answer(at: 20, ms: [500]), answer(at: 10, ms: [1000]), answer(at: 10.5, ms: [1000])])
    let answers = trace.traceEvents.filter { $0.name == "answer" }
    #expect(answers.map(\.ts) == [10_000_000, 10_500_000, 20_000_000])
    #expect(answers.map(\.tid) == [1, 2, 1])
  }

  @Test("The log of traces is bounded, read again by the next run, and cleared")
  func bounded() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)/traces.jsonl")
    let log = TraceLog(file)
    for second in 0..<450 { try await log.record(answer(at: Double(second), ms: [1])) }
    let entries = try await TraceLog(file).entries()
    #expect(entries.count == TraceLog.capacity)
    #expect(entries.last?.beganMs == 449_000)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    try await log.clear()
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
