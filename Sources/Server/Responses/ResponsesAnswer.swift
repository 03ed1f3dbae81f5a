import Core
import Foundation
import Inference

/// What `/v1/responses` gives: a response with its items.
struct ResponsesAnswer: Encodable, Sendable {
  struct Part: Encodable, Sendable {
    var type = "output_text"
    var text: String
    var annotations: [String] = []
    var logprobs: [String] = []
  }

  /// A message, or a call.
  struct Item: Encodable, Sendable {
    var type: String
    var id: String
    var status: String
    var role: String?
    var content: [Part]?
    var call: String?
    var name: String?
    var arguments: String?
    enum CodingKeys: String, CodingKey {
      case type, id, status, role, content, name, arguments
      case call = "call_id"
    }

    static func message(_ text: String?, _ status: String) -> Item {
      Item(
        type: "message", id: ClientID.make("msg"), status: status, role: "assistant",
        content: text.map { [Part(text: $0)] } ?? [])
    }
    static func call(_ name: String, _ arguments: String, _ status: String) -> Item {
      Item(
        type: "function_call", id: ClientID.make("fc"), status: status, call: ClientID.make("call"),
        name: name,
        arguments: arguments)
    }
  }

  struct Usage: Encodable, Sendable {
    struct Input: Encodable, Sendable {
      var cached: Int
      enum CodingKeys: String, CodingKey { case cached = "cached_tokens" }
    }
    struct Output: Encodable, Sendable {
      var reasoning = 0
      enum CodingKeys: String, CodingKey { case reasoning = "reasoning_tokens" }
    }
    var input: Int
    var inputs: Input
    var output: Int
    var outputs = Output()
    var total: Int

    init(_ end: AnswerEnd) {
      (input, output) = (end.prompt.promptTokens, end.report.generatedTokens)
      inputs = Input(cached: end.prompt.reusedTokens)
      total = input + output
    }
    enum CodingKeys: String, CodingKey {
      case input = "input_tokens"
      case inputs = "input_tokens_details"
      case output = "output_tokens"
      case outputs = "output_tokens_details"
      case total = "total_tokens"
    }
  }

  private struct Incomplete: Encodable { var reason: String }

  let id = ClientID.make("resp")
  let object = "response"
  let created = Int(Date().timeIntervalSince1970)
  var status = "in_progress"
  // What clients expect to find also where it is null.
  @OrNull private var error: String? = nil
  @OrNull private var incomplete: Incomplete? = nil
  var output: [Item] = []
  @OrNull var usage: Usage? = nil
  var libera: Grounded?
  // What was asked, as clients expect to read it again.
  private let model: String
  @OrNull private var instructions: String?
  @OrNull private var maxTokens: Int?
  @OrNull private var temperature: Double?
  @OrNull private var topP: Double?
  @OrNull private var previous: String?
  private let parallel: Bool
  private let tools: [JSONNode]
  private let choice: JSONNode
  private let text: JSONNode
  private let truncation: String
  private let store: Bool
  private let metadata: [String: String] = [:]

  init(to asked: ResponsesRequest) throws {
    (model, instructions, maxTokens) = (asked.model, asked.instructions, asked.maxTokens)
    (temperature, topP, parallel) = (asked.temperature, asked.topP, asked.parallel ?? true)
    (truncation, previous, store) = (asked.truncation ?? "disabled", asked.previous, asked.isKept)
    tools = try (asked.tools ?? []).map { try JSONNode(json: $0.whole.text) }
    choice =
      switch asked.choice {
      case nil: .text("auto")
      case .text(let word): .text(word)
      case .other(let named): .object(["type": .text("function"), "name": .text(named.name)])
      }
    var format: [String: JSONNode] = ["type": .text(asked.text?.format?.type ?? "text")]
    if let schema = asked.text?.format?.schema { format["schema"] = try JSONNode(json: schema.text) }
    if asked.text?.format?.type == "json_schema" { format["name"] = .text("schema") }
    text = .object(["format": .object(format)])
  }

  enum CodingKeys: String, CodingKey {
    case id, object, status, error, instructions, model, output, temperature, text, tools, truncation, usage, store,
      metadata, libera
    case created = "created_at"
    case incomplete = "incomplete_details"
    case maxTokens = "max_output_tokens"
    case parallel = "parallel_tool_calls"
    case previous = "previous_response_id"
    case choice = "tool_choice"
    case topP = "top_p"
  }

  /// How it stands at its end.
  mutating func finish(_ end: AnswerEnd) {
    status = end.reason == .length ? "incomplete" : "completed"
    incomplete = end.reason == .length ? Incomplete(reason: "max_output_tokens") : nil
    usage = Usage(end)
    libera = end.record
  }
}
