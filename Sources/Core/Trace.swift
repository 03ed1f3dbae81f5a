/// The last answers in the trace event format, which Perfetto and browsers' own tracing pages open.
package struct Trace: Codable, Sendable, Equatable {
  /// Times are microseconds since 1970.
  package struct Event: Codable, Sendable, Equatable {
    package enum Phase: String, Codable, Sendable {
      case complete = "X", instant = "i", counter = "C", metadata = "M"
    }
    package var name: String
    package var cat: String?
    package var ph: Phase
    package var ts: Int64
    package var dur: Int64?
    /// Of an instant: it belongs to its thread.
    package var s: String?
    package var pid = 1
    package var tid: Int
    package var args: [String: JSONNode]?

    init(
      _ ph: Phase, _ name: String, _ cat: String? = nil, ts: Int64 = 0, dur: Int64? = nil, lane: Int = 0,
      args: [String: JSONNode]? = nil
    ) {
      (self.ph, self.name, self.cat, self.ts, self.dur, self.args) = (ph, name, cat, ts, dur, args)
      tid = lane
      s = ph == .instant ? "t" : nil
    }
  }

  package var traceEvents: [Event]
  package var displayTimeUnit = "ms"

  /// Answers that were written at the same time stand on lanes of their own, because spans of one lane nest.
  package init(_ answers: [TraceLog.Entry]) {
    var ends: [Int64] = []
    var events: [Event] = []
    for answer in answers.sorted(by: { $0.beganMs < $1.beganMs }) {
      let began = Self.micros(answer.beganMs)
      let end = began + Self.micros(answer.ms)
      let lane = ends.firstIndex { $0 <= began } ?? ends.count
      if lane == ends.count { ends.append(end) } else { ends[lane] = end }
      let facts = answer.names.mapValues(JSONNode.text).merging(answer.numbers.mapValues(JSONNode.number)) { $1 }
      events.append(Event(.complete, "answer", "answer", ts: began, dur: end - began, lane: lane + 1, args: facts))
      var elapsed = 0.0
      for phase in answer.phases {
        let from = began + Self.micros(elapsed)
        elapsed += phase.ms
        let to = began + Self.micros(elapsed)
        events.append(Event(.complete, phase.name, "phase", ts: from, dur: to - from, lane: lane + 1))
      }
      events += answer.moments.map {
        Event(.instant, $0.name, "limit", ts: began + Self.micros($0.atMs), lane: lane + 1)
      }
      events += answer.device.sorted { $0.key < $1.key }.map {
        Event(.counter, $0.key, "device", ts: end, args: ["value": .number($0.value)])
      }
    }
    let names =
      [Event(.metadata, "process_name", args: ["name": .text("LiberaGPT")])]
      + ends.indices.map {
        Event(
          .metadata, "thread_name", lane: $0 + 1, args: ["name": .text($0 == 0 ? "answers" : "answers beside them")])
      }
    traceEvents = names + events
  }

  private static func micros(_ ms: Double) -> Int64 { Int64((ms * 1000).rounded()) }
}
