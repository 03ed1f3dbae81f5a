import Commands
import Core
import Foundation

/// How long the resolver takes for each expression of the public suites.
struct Times {
  private struct Line: Decodable {
    var text: String
    var reference: String
  }

  static func run(_ folder: URL, _ zone: TimeZone) throws -> [String] {
    try ["duckling-en", "ctparse-en"].map { name in
      let file = folder.appending(path: "\(name).jsonl")
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
      var times: [Double] = []
      for line in lines {
        guard let resolver = TimeResolver(local: line.reference, zone: zone) else { continue }
        let took = ContinuousClock().measure { _ = resolver.readings(in: line.text) }
        times.append(took.milliseconds)
      }
      times.sort()
      func at(_ share: Double) -> String {
        times.isEmpty ? "-" : String(format: "%.2f", times[min(times.count - 1, Int(Double(times.count) * share))])
      }
      return "\(name): \(times.count) expressions, ms each: p50 \(at(0.5)), p95 \(at(0.95)), slowest \(at(1))"
    }
  }
}
