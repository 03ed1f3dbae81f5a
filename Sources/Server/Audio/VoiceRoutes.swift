import Assistant
import Core
import Foundation

/// `/v1/audio/speech` as OpenAI's clients call it, over the operation that reads aloud.
package struct VoiceRoutes: Sendable {
  private let say: Service

  package init(_ say: Service) { self.say = say }

  private struct Asked: Decodable {
    /// Whichever: one voice reads here.
    var model: String?
    var input: String
    /// A language's code; the names of voices that are elsewhere stand for the one that is set.
    var voice: String?
    var format: String?
    var speed: Double?
    var streams: String?
    enum CodingKeys: String, CodingKey {
      case model, input, voice, speed
      case format = "response_format"
      case streams = "stream_format"
    }
  }

  package var routes: [Route] {
    [
      Route(
        "POST", "/v1/audio/speech", needs: .right(say.right),
        body: .json(limit: 1 << 20, seconds: Bounds.usual.bodySeconds), .later { try await answer($0) })
    ]
  }

  private func answer(_ request: Request) async throws -> Response {
    let asked = try request.decode(Asked.self)
    guard !asked.input.isEmpty else { throw ServerError.unreadable("input is empty") }
    // Where nothing is said about it clients take what comes.
    guard asked.format == nil || asked.format == "wav" else {
      throw ServerError.unsupported("response_format \(asked.format?.prefix(20) ?? ""); there is wav")
    }
    guard asked.speed == nil || asked.speed == 1 else { throw ServerError.unsupported("a speed other than 1") }
    guard asked.streams == nil || asked.streams == "audio" else { throw ServerError.unsupported("speech as events") }
    let language = asked.voice.flatMap { $0.wholeMatch(of: /[a-z]{2,3}/) != nil ? $0 : nil }
    var sound: Data?
    for try await event in try say.run(JSON.encode(Say.Input(text: asked.input, language: language)), request.caller) {
      sound = try JSON.decode(Say.Event.self, from: event).sound
    }
    guard let sound else { throw CancellationError() }
    return Response(type: "audio/wav", .data(sound))
  }
}
