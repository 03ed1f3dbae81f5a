import Core
import Foundation
import Inference
import Safety
import Workers

// Our side of the comparison: engine.py writes one JSON object per line, this program answers with one. Every model is in its
// own sealed worker, as in everyday use, so that the cost of the protocol is part of what is measured.

struct Said: Decodable {
  var role: Role
  var content: String
}

struct Command: Decodable {
  var `do`: String
  var name = ""
  var pack: String?
  var adapter: String?
  var threads: Int?
  var context: Int?
  /// On a graphics card, where there is one.
  var gpu: Bool?
  var prompt: String?
  /// A conversation, instead of a prompt.
  var messages: [Said]?
  var tokens: Int?
  var speculate: Bool?
  var after: Int?

  private enum CodingKeys: CodingKey {
    case `do`, name, pack, adapter, threads, context, gpu, prompt, messages, tokens, speculate, after
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.do = try fields.decode(String.self, forKey: .do)
    name = try fields.decodeIfPresent(String.self, forKey: .name) ?? ""
    pack = try fields.decodeIfPresent(String.self, forKey: .pack)
    adapter = try fields.decodeIfPresent(String.self, forKey: .adapter)
    threads = try fields.decodeIfPresent(Int.self, forKey: .threads)
    context = try fields.decodeIfPresent(Int.self, forKey: .context)
    gpu = try fields.decodeIfPresent(Bool.self, forKey: .gpu)
    prompt = try fields.decodeIfPresent(String.self, forKey: .prompt)
    messages = try fields.decodeIfPresent([Said].self, forKey: .messages)
    tokens = try fields.decodeIfPresent(Int.self, forKey: .tokens)
    speculate = try fields.decodeIfPresent(Bool.self, forKey: .speculate)
    after = try fields.decodeIfPresent(Int.self, forKey: .after)
  }
}

extension Command {
  var request: GenerateRequest {
    var request = GenerateRequest(
      messages.map { .chat($0.map { Message($0.role, trusted: $0.content) }) } ?? .raw([.trusted(prompt ?? "")]))
    request.maximumTokens = tokens ?? 1
    request.speculate = speculate ?? false
    return request
  }
}

struct Outcome: Encodable {
  var error: String?
  var process: Int32?
  var info: ModelInfo?
  var text: String?
  var prompt: PromptReport?
  var report: GenerateReport?
  /// Seen from this side of the socket.
  var firstPieceMs: Double?
  var totalMs: Double?
}

var models: [String: TextModel] = [:]
let clock = ContinuousClock()

@MainActor func model(_ command: Command) throws -> TextModel {
  if let model = models[command.name] { return model }
  throw RemoteError(code: "bench", message: "no model \(command.name)")
}

@MainActor func perform(_ command: Command) async throws -> Outcome {
  var outcome = Outcome()
  switch command.do {
  case "load":
    var request = LoadRequest(contextTokens: command.context ?? 2048, threads: command.threads)
    request.gpu = command.gpu ?? false
    let model = TextModel(
      pack: URL(filePath: command.pack ?? ""), adapters: command.adapter.map { [.writing: URL(filePath: $0)] } ?? [:],
      request: request)
    for try await event in model.load() {
      if case .loaded(let info) = event { outcome.info = info }
    }
    outcome.process = await model.process
    models[command.name] = model
  case "generate":
    let model = try model(command)
    outcome.text = ""
    let began = clock.now
    for try await event in model.generate(command.request) {
      switch event {
      case .prompt(let report): outcome.prompt = report
      case .piece(let piece):
        if outcome.firstPieceMs == nil { outcome.firstPieceMs = began.msUntilNow }
        outcome.text? += piece
      case .reading, .logprobs, .thought, .leftCard: break
      case .done(let report): outcome.report = report
      }
    }
    outcome.totalMs = began.msUntilNow
  case "readAhead":
    try await model(command).readAhead(command.request, keeping: nil)
  case "cancel":
    let model = try model(command)
    var request = GenerateRequest(.raw([.trusted(command.prompt ?? "")]))
    request.maximumTokens = command.tokens ?? 512
    let work = Task {
      for try await event in model.generate(request) {
        if case .piece = event, command.after == nil { return }
      }
    }
    // In generation: after the first piece. In prefill: after so many milliseconds.
    if let after = command.after { try await Task.sleep(for: .milliseconds(after)) } else { try await work.value }
    let stopped = clock.now
    work.cancel()
    // The engine is free when it answers the next request, here one that has nothing to evaluate but a token.
    var next = GenerateRequest(.raw([.trusted("A")]))
    next.maximumTokens = 1
    for try await event in model.generate(next) {
      if case .prompt = event { outcome.totalMs = stopped.msUntilNow }
    }
  case "unload":
    await models.removeValue(forKey: command.name)?.unload()
  default: throw RemoteError(code: "bench", message: "unknown command \(command.do)")
  }
  return outcome
}

while let line = readLine() {
  var outcome = Outcome()
  do { outcome = try await perform(JSON.decode(Command.self, from: Data(line.utf8))) } catch {
    outcome.error = RemoteError(error).message
  }
  FileHandle.standardOutput.write(Data((try JSON.line(outcome) + "\n").utf8))
}
