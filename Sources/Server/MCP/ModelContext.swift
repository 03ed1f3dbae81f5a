import Assistant
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
  private let resources: ModelContextResources
  private let prompts: ModelContextPrompts
  private let write: @Sendable (Data) throws -> Void
  private var running: [RequestID: Task<Void, Never>] = [:]

  package init(_ desk: any OperationDesk, write: @escaping @Sendable (Data) throws -> Void) {
    tools = ModelContextTools(desk: desk)
    resources = ModelContextResources(desk: desk)
    prompts = ModelContextPrompts(resources: resources)
    self.write = write
  }

  /// Answers every line until there are no more and what was asked is answered; gives it up when cancelled.
  package func serve(_ lines: AsyncStream<Data>) async {
    await withTaskCancellationHandler {
      for await line in lines where line.contains(where: { !Self.isBlank($0) }) { receive(line) }
      if Task.isCancelled { giveUp() }
      while let task = running.values.first { await task.value }
    } onCancel: {
      Task { await giveUp() }
    }
  }

  private func giveUp() { running.values.forEach { $0.cancel() } }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  private func receive(_ line: Data) {
    guard line.count <= Self.longestLine else {
      return send(.failure(nil, .unreadable, "The line is longer than \(Self.longestLine) bytes."))
    }
    let message: IncomingMessage
    do { message = try JSONValue.decode(IncomingMessage.self, from: line) } catch {
      // One that is JSON and yet no message is a wrong request; the rest cannot be read at all.
      let isJSON = (try? JSONValue.decode(JSONValue.self, from: line)) != nil
      return send(.failure(nil, isJSON ? .wrongRequest : .unreadable, "This is not a JSON-RPC 2.0 message."))
    }
    guard let method = message.method else { return }  // an answer to a question we never ask
    guard let id = message.id else { return notified(method, message.params) }
    guard running[id] == nil else { return send(.failure(id, .wrongRequest, "A request with this id is running.")) }
    switch method {
    case "initialize":
      let asked = parameters(message.params, as: Greeting.self)?.protocolVersion
      send(
        .result(
          id, ServerIntroduction(version: asked.flatMap { Self.versions.contains($0) ? $0 : nil } ?? Self.versions[0])))
    case "ping": send(.result(id, Nothing()))
    case "tools/list": send(.result(id, ModelContextTools.List()))
    case "tools/call": call(id, message.params)
    case "resources/list":
      let asked = parameters(message.params, as: PageRequest.self)
      look(id) { [resources] in try await resources.list(after: asked?.cursor) }
    case "resources/templates/list": send(.result(id, resources.templates))
    case "resources/read": read(id, message.params)
    case "prompts/list": send(.result(id, ModelContextPrompts.list))
    case "prompts/get": prompt(id, message.params)
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
    let call: ToolRequest
    do { call = try JSONValue.decode(ToolRequest.self, from: Data((params?.text ?? "{}").utf8)) } catch {
      return send(.failure(id, .wrongParameters, "The name of a tool is missing."))
    }
    guard let tool = ModelContextTools.Tool(rawValue: call.name) else {
      return send(.failure(id, .wrongParameters, "There is no tool \(call.name)."))
    }
    let token = call.meta?.progressToken
    running[id] = Task {
      var outcome: ToolResult?
      do {
        outcome = try await tools.run(tool, call.arguments?.text ?? "{}") { told in
          if let token { self.report(Progress(progressToken: token, progress: told.share, message: told.what)) }
        }
      } catch is CancellationError {
        // Whoever cancelled expects no answer.
      } catch { outcome = .refusal(RemoteError(error)) }
      finish(id, outcome.map { .result(id, $0) })
    }
  }

  /// nil where they are missing or others: the method then says which it needs, or does without.
  private func parameters<Parameters: Decodable>(_ params: JSONValue?, as type: Parameters.Type) -> Parameters? {
    params.flatMap { try? JSON.decode(type, from: Data($0.text.utf8)) }
  }

  private func read(_ id: RequestID, _ params: JSONValue?) {
    guard let asked = parameters(params, as: Address.self) else {
      return send(.failure(id, .wrongParameters, "The uri of a resource is missing."))
    }
    look(id) { [resources] in try await resources.read(asked.uri) }
  }

  private func prompt(_ id: RequestID, _ params: JSONValue?) {
    guard let asked = parameters(params, as: Chosen.self) else {
      return send(.failure(id, .wrongParameters, "The name of a prompt is missing."))
    }
    look(id) { [prompts] in
      guard let made = try await prompts.prompt(asked.name, asked.arguments ?? [:]) else {
        throw RemoteError(code: "input_unreadable", message: "There is no such prompt, or an argument is missing.")
      }
      return made
    }
  }

  /// What fails is an error of the request: nothing of it is for a model.
  private func look<Found: Encodable & Sendable>(_ id: RequestID, _ work: @escaping @Sendable () async throws -> Found)
  {
    running[id] = Task {
      var message: OutgoingMessage?
      do { message = .result(id, try await work()) } catch is CancellationError {
        // Whoever cancelled expects no answer.
      } catch {
        let told = RemoteError(error)
        message = .failure(id, .notFound, [told.message, told.remedy].compactMap(\.self).joined(separator: " "))
      }
      finish(id, message)
    }
  }

  private func finish(_ id: RequestID, _ message: OutgoingMessage?) {
    // One that was cancelled meanwhile is no longer there and stays unanswered.
    guard running.removeValue(forKey: id) != nil, let message else { return }
    send(message)
  }

  private nonisolated func report(_ progress: Progress) {
    Task { await send(.notification("notifications/progress", progress)) }
  }

  private func send(_ message: OutgoingMessage) {
    do { try write(JSON.encode(message) + Data("\n".utf8)) } catch {
      // The reader is gone. The input ends too then, and with it the rest.
      giveUp()
    }
  }
}
