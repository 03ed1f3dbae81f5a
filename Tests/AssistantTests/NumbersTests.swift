import Core
import Foundation
import Models
import Testing

@testable import Assistant

@Suite("Numbers in what is asked for")
struct NumbersTests {
  private struct Sample: Sendable {
    let operation: String
    let field: String
    /// Whatever else has to stand in such a body.
    let rest: String
    let right: [String]
    let wrong: [String]
  }

  private static let far = ["-5", "-9223372036854775808", "9223372036854775807"]
  private static let samples: [Sample] = [
    Sample(
      operation: "search", field: "limit", rest: #""query":"rent","stage":"lexical""#, right: ["0", "9"], wrong: far),
    Sample(
      operation: "search-batch", field: "limit", rest: #""queries":[{"_id":"a","text":"rent"}],"stage":"lexical""#,
      right: ["0", "9"], wrong: far),
    Sample(operation: "packs-fit", field: "context", rest: #""id":"nothing""#, right: ["4096"], wrong: far + ["0"]),
    Sample(operation: "open", field: "scale", rest: #""id":"d1.0-4""#, right: ["2"], wrong: far + ["0", "1e300"]),
    Sample(
      operation: "documents-page", field: "scale", rest: #""id":"1","page":1"#, right: ["0.25", "4"],
      wrong: far + ["0.2", "4.1", "1e300"]),
    Sample(operation: "documents-page", field: "page", rest: #""id":"1""#, right: ["1"], wrong: far + ["0"]),
    Sample(operation: "listen", field: "rate", rest: #""session":"s""#, right: [], wrong: far + ["0"]),
    Sample(operation: "listen-sound", field: "at", rest: #""session":"s","sound":"AA==""#, right: ["0"], wrong: far),
    Sample(
      operation: "understand", field: "recognition", rest: #""text":"wake me""#, right: ["1"], wrong: far + ["1e300"]),
    Sample(operation: "agenda", field: "days", rest: "", right: ["7"], wrong: far + ["1e300"]),
    Sample(operation: "rules-set", field: "minutes", rest: #""word":"lunch""#, right: ["60"], wrong: far + ["0"]),
    Sample(
      operation: "reminders-settle", field: "snoozeMinutes", rest: #""id":"x""#, right: ["5"], wrong: far + ["1e300"]),
  ]

  private func refusal(_ sample: Sample, _ number: String, _ home: OpenHouse) async throws -> String? {
    let operation = try #require(Operations.named(sample.operation))
    let body = "{\"\(sample.field)\":\(number)\(sample.rest.isEmpty ? "" : ",")\(sample.rest)}"
    do {
      for try await _ in operation.run(Data(body.utf8), .terminal, home.house) {}
      return nil
    } catch { return RemoteError(error).code }
  }

  @Test("A number that nobody can mean is refused by its name, others are not, whatever operation it is for")
  func ranges() async throws {
    let home = try OpenHouse()
    for sample in Self.samples {
      for number in sample.wrong {
        #expect(try await refusal(sample, number, home) == "number_refused", "\(sample.operation) \(number)")
      }
      for number in sample.right {
        #expect(try await refusal(sample, number, home) != "number_refused", "\(sample.operation) \(number)")
      }
    }
  }

  @Test("What is no number is refused like one that is out of range")
  func none() {
    let field = NumberField<Double>.real("days", 0...7) { $0 }
    for number in [Double.nan, .infinity, -.infinity, -0.1] {
      #expect(throws: NumberRefused.self) { try field.check(number) }
    }
    #expect(throws: Never.self) { try field.check(7) }
  }
}
