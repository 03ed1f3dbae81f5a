import Core
import Foundation

/// Readings written down in advance: one JSON object per line, `t_ms` and what changes then (docs/cli.md: governor).
/// `thermal` is a tier's name or degrees Celsius; `battery` a share, or percent if any line is above 1; memory in bytes.
package struct Script: Sendable, Equatable {
  package struct Step: Sendable, Equatable {
    package var at: Duration
    package var reading: Reading
  }
  package let steps: [Step]

  /// `total` is the memory the scripted device has, unless a line says `memory_total`.
  package init(_ text: String, total: UInt64) throws(ResourcesError) {
    var lines: [Line] = []
    for (number, text) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      guard text.contains(where: { !$0.isWhitespace }) else { continue }
      lines.append(try Line(String(text), number: number + 1, after: lines.last))
    }
    guard !lines.isEmpty else { throw .scriptEmpty }
    let scale = lines.contains { ($0.battery ?? 0) > 1 } ? 100.0 : 1
    var reading = Reading()
    var memoryTotal = total
    steps = lines.map { line in
      switch line.thermal {
      case .tier(let heat): (reading.heat, reading.temperatures) = (heat, [])
      case .celsius(let degrees):
        (reading.heat, reading.temperatures) = (nil, [Temperature("script", celsius: degrees)])
      case nil: break
      }
      memoryTotal = line.memoryTotal ?? memoryTotal
      if let bytes = line.memoryAvailable ?? (line.memoryTotal == nil ? nil : reading.memory?.available) {
        reading.memory = MemoryReading(available: bytes, total: max(memoryTotal, bytes))
      }
      reading.battery = line.battery.map { $0 / scale } ?? reading.battery
      reading.onMains = line.onMains ?? reading.onMains
      reading.lowPower = line.lowPower ?? reading.lowPower
      reading.background = line.background ?? reading.background
      reading.unknown = [:]
      for (name, known) in [
        ("heat", reading.heat != nil || !reading.temperatures.isEmpty), ("memory", reading.memory != nil),
        ("battery", reading.battery != nil || reading.onMains != nil),
      ] where !known { reading.unknown[name] = "the script has not said" }
      return Step(at: .milliseconds(line.time), reading: reading)
    }
  }

  /// What the device shows at a moment: the last step at or before it.
  package func reading(at time: Duration) -> Reading {
    steps.last { $0.at <= time }?.reading ?? steps[0].reading
  }
  package var end: Duration { steps.last?.at ?? .zero }
}

private struct Line: Decodable {
  enum Thermal: Decodable {
    case tier(Heat)
    case celsius(Double)
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let degrees = try? container.decode(Double.self) {  // else it is a word
        self = .celsius(degrees)
      } else {
        self = .tier(try container.decode(Heat.self))
      }
    }
  }
  var time: Int
  var thermal: Thermal?
  var memoryAvailable: UInt64?
  var memoryTotal: UInt64?
  var battery: Double?
  var onMains: Bool?
  var lowPower: Bool?
  var background: Bool?

  private enum CodingKeys: String, CodingKey {
    case thermal, battery, background
    case time = "t_ms"
    case memoryAvailable = "memory_available"
    case memoryTotal = "memory_total"
    case onMains = "on_ac"
    case lowPower = "low_power"
  }

  init(_ text: String, number: Int, after previous: Line?) throws(ResourcesError) {
    do {
      guard let object = try JSON.untyped(Data(text.utf8)) as? [String: Any] else {
        throw ResourcesError.scriptMalformed(line: number, reason: "it is not a JSON object")
      }
      if let stranger = object.keys.sorted().first(where: { CodingKeys(rawValue: $0) == nil }) {
        throw ResourcesError.scriptMalformed(line: number, reason: "\"\(stranger)\" is not a field of a reading")
      }
      self = try JSON.decode(Line.self, from: Data(text.utf8))
    } catch let error as ResourcesError {
      throw error
    } catch let error as DecodingError {
      throw .scriptMalformed(line: number, reason: error.place)
    } catch {
      throw .scriptMalformed(line: number, reason: "it is not JSON")
    }
    guard time >= previous?.time ?? 0 else {
      throw .scriptMalformed(line: number, reason: "t_ms goes back in time")
    }
    if let battery, !(0...100).contains(battery) {
      throw .scriptMalformed(line: number, reason: "battery is outside 0 to 100")
    }
  }
}

extension DecodingError {
  fileprivate var place: String {
    switch self {
    case .keyNotFound(let key, _): "\(key.stringValue) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      "\(context.codingPath.last?.stringValue ?? "it") has a value that cannot be used"
    @unknown default: "it cannot be read"
    }
  }
}

/// A script played in the product's own time, in place of the device's sensors.
package struct ScriptedSensors: Sensors {
  private let script: Script
  private let time: Timekeeper
  private let device: (any Sensors)?
  private let began: Duration

  /// What no script can say, such as what a process holds, is still read from the device.
  package init(_ script: Script, time: Timekeeper, device: (any Sensors)? = nil) {
    self.script = script
    self.time = time
    self.device = device
    began = time.now()
  }

  package func read() -> Reading { script.reading(at: time.now() - began) }
  package func memory(of process: Int32) -> ProcessMemory? { device?.memory(of: process) }
  package func joules() -> Double? { device?.joules() }

  package func alarms() -> AsyncStream<Void> {
    AsyncStream { continuation in
      let player = Task { [script, time, began] in
        for step in script.steps {
          let wait = began + step.at - time.now()
          if wait > .zero { do { try await time.sleep(wait) } catch { break } }
          continuation.yield()
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in player.cancel() }
    }
  }
}
