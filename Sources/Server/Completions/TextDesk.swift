import Core
import Foundation
import Inference

/// The one way from what was asked, in whichever dialect, to an answer.
package struct TextDesk: Sendable {
  /// The model that stands for "whichever writes now, from the documents".
  static let house = "libera"

  let source: any CompletionSource
  /// The ask operation, for requests that want answers from the documents.
  let ask: Service?
  let kept = KeptResponses()

  package init(_ source: any CompletionSource, ask: Service?) {
    self.source = source
    self.ask = ask
  }

  /// No answer can be gone on with any more: some may have been made of what a person has just destroyed.
  package func forget() async { await kept.forget() }

  func answer(_ asked: Asked, for caller: Caller) async throws -> AsyncThrowingStream<AnswerPiece, any Error> {
    if let ask, asked.model == Self.house || asked.grounding != nil {
      return try GroundedChat(ask: ask).pieces(for: asked, from: caller)
    }
    try asked.requests.forEach(CompletionBounds.check(begun:))
    let model = try await model(asked.model, .chat)
    return streaming { emit in
      for (place, request) in asked.requests.enumerated() {
        for choice in 0..<asked.choices {
          var request = request
          // Several answers with one seed would be the same one.
          if choice > 0 { request.sampling.seed = request.sampling.seed.map { $0 &+ UInt32(choice) } }
          let told = source.generate(request, model: model.pack)
          do { try await Self.tell(told, as: place * asked.choices + choice, to: request, emit) } catch {
            throw CompletionBounds.explained(error)
          }
        }
      }
    }
  }

  /// An installed model of this kind, or of any that reads.
  func model(_ name: String, _ kind: CompletionModel.Kind? = nil) async throws -> CompletionModel {
    let wanted = Asked.plain(name)
    let found = try await source.models().first { model in
      model.id == wanted && (kind == nil ? model.kind != .speech : model.kind == kind)
    }
    guard let found else { throw ServerError.unknownModel(name) }
    return found
  }

  private static func tell(
    _ events: AsyncThrowingStream<GenerationEvent, any Error>, as number: Int, to request: GenerateRequest,
    _ emit: @Sendable (AnswerPiece) -> Void
  ) async throws {
    var prompt = PromptReport()
    var reader: ToolCallReader?
    var written = freelyCalled(by: request).map { WrittenCalls($0) }
    var hasCalled = false
    func tell(_ pieces: [ToolCallReader.Piece], readsWords: Bool = true) {
      for piece in pieces {
        switch piece {
        case .words(let text):
          guard readsWords, written != nil else {
            emit(.text(text))
            continue
          }
          tell(written?.read(text) ?? [], readsWords: false)
        case .call(let name):
          hasCalled = true
          emit(.call(name))
        case .arguments(let text): emit(.arguments(text))
        }
      }
    }
    for try await event in events {
      switch event {
      case .prompt(let report):
        prompt = report
        reader = report.toolForm.map { ToolCallReader($0) }
        emit(.began(number, report))
      case .piece(let text): reader == nil ? emit(.text(text)) : tell(reader?.read(text) ?? [])
      case .thought(let text): emit(.thought(text))
      case .logprobs(let entry): emit(.logprobs(entry))
      case .reading: break
      case .leftCard: break  // the answer goes on; the owner's log has it
      case .done(let report):
        tell(reader?.finish() ?? [])
        tell(written?.finish() ?? [], readsWords: false)
        var end = AnswerEnd(reason: reason(report, request), prompt: prompt, report: report)
        // Of a call that was cut short the length is the reason that is told.
        if hasCalled, end.reason != .length { end.reason = .calls }
        emit(.ended(end))
      }
    }
  }

  /// What a model may call or not, as it likes.
  private static func freelyCalled(by request: GenerateRequest) -> [ToolUse.Tool]? {
    guard case .chat(_, let use?) = request.input, use.choice == .auto else { return nil }
    return use.tools
  }

  private static func reason(_ report: GenerateReport, _ request: GenerateRequest) -> AnswerEnd.Reason {
    switch report.finish {
    case .end, .cancelled: .end
    case .stop: .stop(report.stop ?? (request.stop.count == 1 ? request.stop[0] : nil))
    case .length, .context: .length
    }
  }
}
