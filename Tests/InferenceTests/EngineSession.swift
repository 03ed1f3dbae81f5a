import Core
import Foundation
import Inference
import TextEngine
import Workers

/// A text engine in this process, spoken to with the same calls that reach it in a worker.
final class EngineSession {
  let engine: TextEngine
  private(set) var model: ModelInfo?

  init(multipliesItself: Bool = true) { engine = TextEngine(multipliesItself: multipliesItself) }

  init(
    _ pack: URL, context: Int = 1024, threads: Int? = 2, adapters: KeyValuePairs<AdapterUse, CInt> = [:],
    multipliesItself: Bool = true, change: (inout LoadRequest) -> Void = { _ in }
  ) throws {
    engine = TextEngine(multipliesItself: multipliesItself)
    var request = LoadRequest(contextTokens: context, threads: threads)
    change(&request)
    model = try load(pack, request, adapters: adapters)
  }

  @discardableResult
  func load(
    _ pack: URL, _ request: LoadRequest, adapters: KeyValuePairs<AdapterUse, CInt> = [:]
  ) throws -> ModelInfo {
    var request = request
    request.adapters = adapters.map(\.key)
    let file = try FileHandle(forReadingFrom: pack)
    defer { withExtendedLifetime(file) {} }
    let sink = try call("load", request, files: [file.fileDescriptor] + adapters.map(\.value))
    for event in try sink.decoded(LoadEvent.self) {
      if case .loaded(let info) = event { return info }
    }
    throw RemoteError(code: "test", message: "no loaded event")
  }

  @discardableResult
  func call(
    _ operation: String, _ body: some Encodable, files: [CInt] = [], cancelled: CancelFlag = CancelFlag(),
    sink: Sink = Sink()
  ) throws -> Sink {
    try engine.handle(
      Call(operation: operation, body: JSON.encode(body), files: files, cancelled: cancelled), sink)
    return sink
  }

  struct Answer {
    var text: String
    var pieces: [[UInt8]]
    var prompt: PromptReport
    var report: GenerateReport
    var logprobs: [TokenLogprobs]
    /// What was said to be read before it was.
    var reading: Int?
  }

  func generate(_ request: GenerateRequest, cancelled: CancelFlag = CancelFlag(), sink: Sink = Sink()) throws -> Answer
  {
    try call("generate", request, cancelled: cancelled, sink: sink)
    var answer = Answer(
      text: String(decoding: sink.pieces.joined(), as: UTF8.self), pieces: sink.pieces, prompt: PromptReport(),
      report: GenerateReport(), logprobs: [])
    for event in try sink.decoded(GenerateEvent.self) {
      switch event {
      case .reading(let tokens): answer.reading = tokens
      case .prompt(let report): answer.prompt = report
      case .logprobs(let entry): answer.logprobs.append(entry)
      case .thought, .token: break
      case .done(let report): answer.report = report
      }
    }
    return answer
  }
}

/// Collects what an engine sends; `onReply` runs after each reply.
final class Sink: ReplySink {
  private(set) var events: [Data] = []
  private(set) var pieces: [[UInt8]] = []
  private let onReply: (Sink) throws -> Void

  init(onReply: @escaping (Sink) throws -> Void = { _ in }) { self.onReply = onReply }

  func event(_ value: some Encodable) throws {
    events.append(try JSON.encode(value))
    try onReply(self)
  }

  func bytes(_ payload: UnsafeRawBufferPointer) throws {
    pieces.append(Array(payload))
    try onReply(self)
  }

  func decoded<Event: Decodable>(_ type: Event.Type) throws -> [Event] {
    try events.map { try JSON.decode(Event.self, from: $0) }
  }
}

extension GenerateRequest {
  static func ask(_ question: String, tokens: Int = 24) -> GenerateRequest {
    var request = GenerateRequest(.chat([Message(.user, untrusted: question)]))
    request.maximumTokens = tokens
    return request
  }

  static func chat(_ system: String, _ question: String, tokens: Int = 40) -> GenerateRequest {
    var request = GenerateRequest(.chat([Message(.system, trusted: system), Message(.user, untrusted: question)]))
    request.maximumTokens = tokens
    return request
  }

  static func raw(_ text: String, tokens: Int = 24) -> GenerateRequest {
    var request = GenerateRequest(.raw([.trusted(text)]))
    request.maximumTokens = tokens
    return request
  }
}
