package import Assistant
import Core
package import Foundation

/// The Model Context Protocol over lines: an editor or an agent starts `libera mcp` and may search and ask the documents.
///
/// JSON-RPC 2.0, one message a line. Requests run side by side; each ends when it is answered, cancelled, or the input ends.
package actor ModelContext {
  /// The newest first; a client that asks for another gets the newest and decides for itself.
  static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]
  /// A longer line is no message but an attack or a mistake.
  package static let longestLine = 1 << 20

  private let tools: ModelContextTools
  private let write: @Sendable (Data) throws -> Void
  private var running: [RequestID: Task<Void, Never>] = [:]

  package init(_ door: Door, write: @escaping @Sendable (Data) throws -> Void) {
    tools = ModelContextTools(door: door)
    self.write = write
  }

  /// Answers every line until there are no more and what was asked is answered; gives it up when cancelled.
  package func serve(_ lines: AsyncStream<Data>) async {
    for await line in lines where line.contains(where: { !Self.isBlank($0) }) { receive(line) }
    if Task.isCancelled { running.values.forEach { $0.cancel() } }
    while let task = running.values.first { await task.value }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  private func receive(_ line: Data) {
    guard line.count <= Self.longestLine else {
      return send(.failure(nil, .unreadable, "The line is longer than \(Self.longestLine) bytes."))
    }
    let message: IncomingMessage
    do { message = try JSON.decode(IncomingMessage.self, from: line) } catch {
      // One that is JSON and yet no message is a wrong request; the rest cannot be read at all.
      let isJSON = (try? JSON.decode(JSONValue.self, from: line)) != nil
      return send(.failure(nil, isJSON ? .wrongRequest : .unreadable, "This is not a JSON-RPC 2.0 message."))
    }
    guard let method = message.method else { return }  // an answer to a question we never ask
    guard let id = message.id else { return notified(method, message.params) }
    guard running[id] == nil else { return send(.failure(id, .wrongRequest, "A request with this id is running.")) }
    switch method {
    case "initialize":
      let asked = message.params.flatMap { try? JSON.decode(Greeting.self, from: Data($0.text.utf8)) }?.protocolVersion
      send(.result(id, Welcome(version: asked.flatMap { Self.versions.contains($0) ? $0 : nil } ?? Self.versions[0])))
    case "ping": send(.result(id, Nothing()))
    case "tools/list": send(.result(id, ModelContextTools.List()))
    case "tools/call": call(id, message.params)
    default: send(.failure(id, .unknownMethod, "There is no method \(method)."))
    }
  }

  private func notified(_ method: String, _ params: JSONValue?) {
    guard method == "notifications/cancelled", let params else { return }  // the others ask for nothing
    // A notification has no answer, so one that cannot be read has none either.
    guard let gone = try? JSON.decode(Cancellation.self, from: Data(params.text.utf8)) else { return }
    running.removeValue(forKey: gone.requestId)?.cancel()
  }

  private func call(_ id: RequestID, _ params: JSONValue?) {
    let call: ToolCall
    do { call = try JSON.decode(ToolCall.self, from: Data((params?.text ?? "{}").utf8)) } catch {
      return send(.failure(id, .wrongParameters, "The name of a tool is missing."))
    }
    guard let tool = ModelContextTools.Tool(rawValue: call.name) else {
      return send(.failure(id, .wrongParameters, "There is no tool \(call.name)."))
    }
    let token = call.meta?.progressToken
    running[id] = Task {
      var outcome: ToolOutcome?
      do {
        outcome = try await tools.run(tool, call.arguments?.text ?? "{}") { told in
          if let token { self.report(Progress(progressToken: token, progress: told.share, message: told.what)) }
        }
      } catch is CancellationError {
        // Whoever cancelled expects no answer.
      } catch { outcome = .refusal(RemoteError(error)) }
      finish(id, outcome)
    }
  }

  private func finish(_ id: RequestID, _ outcome: ToolOutcome?) {
    // One that was cancelled meanwhile is no longer there and stays unanswered.
    guard running.removeValue(forKey: id) != nil, let outcome else { return }
    send(.result(id, outcome))
  }

  private nonisolated func report(_ progress: Progress) {
    Task { await send(.notification("notifications/progress", progress)) }
  }

  private func send(_ message: OutgoingMessage) {
    do { try write(JSON.encode(message) + Data("\n".utf8)) } catch {
      // Nobody reads any more. The input ends too then, and with it the rest.
      running.values.forEach { $0.cancel() }
    }
  }
}
