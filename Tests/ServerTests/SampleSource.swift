import Assistant
import Core
import Foundation
import Inference
import Server
import Synchronization

/// A model that says the last message back, word by word, the same for the same seed.
struct SampleSource: CompletionSource {
  /// Every route for other programs.
  static func routes(ask: Service, transcribe: Service? = nil, names: SampleNames = SampleNames()) -> [Route] {
    let pull = Service("packs-pull", needs: .manage) { body in
      struct Input: Decodable { var id: String }
      return streaming { emit in
        guard try JSON.decode(Input.self, from: body).id == "known" else {
          throw RemoteError(code: "unknown_pack", message: "There is none.")
        }
        emit(Data(#"{"progress":{"step":"downloading","share":0.5,"done":5,"total":10}}"#.utf8))
      }
    }
    let desk = TextDesk(SampleSource(names: names), ask: ask)
    return desk.completionRoutes + desk.responsesRoutes + desk.anthropicRoutes + desk.llamaRoutes
      + OllamaRoutes(desk, [pull] + names.services).routes + AudioRoutes(transcribe ?? ask) { [] }.routes
      + VoiceRoutes(ask).routes + ModelContextRoutes([ask]).routes
  }

  static func model(_ id: String, _ kind: CompletionModel.Kind) -> CompletionModel {
    CompletionModel(
      id: id, kind: kind,
      details: .init(
        family: "sample", parameters: 1_500_000_000, quantization: "Q8_0", licence: "Apache-2.0", context: 4096,
        dimensions: 3, bytes: 1000, sha256: String(repeating: "a", count: 64), installed: .distantPast,
        isLoaded: kind == .chat))
  }

  var names = SampleNames()

  func models() async throws -> [CompletionModel] {
    let packs = [Self.model("sample-chat", .chat), Self.model("sample-embed", .embed)]
      .filter { !names.removed.contains($0.id) }
    return packs
      + names.aliases.compactMap(SettingRule.alias).compactMap { alias in
        packs.first { $0.id == alias.pack }?.named(alias.name)
      }
  }

  func usual() async throws -> String { "sample-chat" }

  func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { emit in
      var prompt = PromptReport()
      prompt.promptTokens = 12
      prompt.reusedTokens = 4
      if case .chat(_, _?) = request.input { prompt.toolForm = .tagged }
      emit(.prompt(prompt))
      var text = ""
      switch request.input {
      case .chat(let messages, let tools):
        text = messages.last?.spans.map(\.text).joined() ?? ""
        if text == "how many messages" { text = "\(messages.count)" }
        // It calls whatever must be called; what a function gave is said back.
        if let tools, tools.choice != .auto, let tool = tools.callable.first {
          text = "<tool_call> {\"name\": \"\(tool.name)\", \"arguments\": {\"words\": \"\(text)\"}} </tool_call>"
        }
      case .raw(let spans):
        text = spans.map { if case .tokens(let numbers) = $0 { "\(numbers)" } else { $0.text } }.joined()
      }
      if let schema = request.schema { text = schema.contains("answer") ? #"{"answer": "six months"}"# : "{}" }
      if let grammar = request.grammar { text = grammar }
      if let seed = request.sampling.seed { text += " #\(seed)" }
      var report = GenerateReport()
      for (place, word) in text.split(separator: " ").enumerated() {
        if request.stop.contains(where: { word.contains($0) }) {
          report.finish = .stop
          break
        }
        if place >= request.maximumTokens {
          report.finish = .length
          break
        }
        try Task.checkCancellation()
        let piece = (place == 0 ? "" : " ") + word
        if request.logprobs > 0 {
          let entry = TokenLogprobs.Entry(token: piece, logprob: -0.25, id: Int32(place))
          emit(.logprobs(TokenLogprobs(chosen: entry, top: Array(repeating: entry, count: request.logprobs))))
        }
        emit(.piece(piece))
        report.generatedTokens += 1
      }
      emit(.done(report))
    }
  }

  func count(_ request: GenerateRequest, model: String) async throws -> Int { 12 }

  /// A text of more than eight letters is longer than the window.
  func embed(_ input: EmbedInput, model: String, long: EmbedRequest.Long) async throws -> (
    vectors: [[Float]], report: EmbedReport
  ) {
    guard case .texts(let texts) = input else {
      guard case .tokens(let lists) = input, !lists.joined().contains(where: { $0 > 30_000 }) else {
        throw RemoteError(code: "token_refused", message: "There is no token 99999 to be written.")
      }
      var report = EmbedReport()
      report.tokens = lists.joined().count
      return (lists.map { [Float($0.reduce(0, +)), 0.5, -1] }, report)
    }
    var report = EmbedReport()
    report.tokens = texts.joined().utf8.count
    for text in texts where text.utf8.count > 8 {
      switch long {
      case .fails: throw RemoteError(code: "text_too_long", message: "Text 1 is too long.")
      case .cut: report.truncated += 1
      case .pieces: report.divided += 1
      }
    }
    return (texts.map { [Float($0.utf8.count), 0.5, -1] }, report)
  }

  func load(_ model: String) async throws {}
  func unload(_ model: String) async throws {}
}

/// The names of packs, and those that were removed, as the operations that keep them would.
final class SampleNames: Sendable {
  private let state = Mutex<(aliases: [String], removed: [String])>(([], []))

  var aliases: [String] { state.withLock { $0.aliases } }
  var removed: [String] { state.withLock { $0.removed } }

  func set(_ aliases: [String]) { state.withLock { $0.aliases = aliases } }

  private func settings() throws -> Data {
    var settings = Settings()
    settings.aliases = aliases
    return try JSON.encode(settings)
  }

  var services: [Service] {
    func service(_ name: String, _ run: @escaping @Sendable (Data) throws -> Data) -> Service {
      Service(name, needs: .manage) { body in
        streaming { emit in emit(try run(body)) }
      }
    }
    return [
      service(ShowSettings.name) { [self] _ in try settings() },
      service(ChangeSetting.name) { [self] body in
        let asked = try JSON.decode(ChangeSetting.Input.self, from: body)
        set(try JSON.decode([String].self, from: Data(asked.value.utf8)))
        return try settings()
      },
      service(RemovePack.name) { [self] body in
        let id = try JSON.decode(PackInput.self, from: body).id
        state.withLock { $0.removed.append(id) }
        return Data("{}".utf8)
      },
    ]
  }
}
