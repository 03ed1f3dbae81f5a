import Core
import Foundation
import Workers

/// Speaks with one running tool server.
actor ToolClient {
  typealias Told = @Sendable (String) -> Void

  private static let mostPages = 32

  private struct Waiting {
    var answer: CheckedContinuation<JSONNode, any Error>
    var told: Told?
  }

  private let name: String
  private let process: ToolProcess
  private var waiting: [Int: Waiting] = [:]
  private var last = 0
  private var end: (any Error)?
  private var reading: Task<Void, Never>?

  private init(_ name: String, _ process: ToolProcess) { (self.name, self.process) = (name, process) }

  /// Greets the server and asks for its tools. One that has not answered within `patience` is ended.
  static func start(
    _ name: String, _ process: ToolProcess, patience: Duration
  ) async throws -> (client: ToolClient, tools: [OutsideTool]) {
    let client = ToolClient(name, process)
    let clock = Task {
      try await Task.sleep(for: patience)
      await client.stop(ToolError.silent(name))
    }
    defer { clock.cancel() }
    do {
      await client.listen()
      try await client.greet()
      return (client, try await client.tools())
    } catch {
      await client.stop(error)
      throw error
    }
  }

  func call(_ tool: String, _ arguments: JSONNode, told: @escaping Told) async throws -> ToolOutcome {
    let params = ["name": JSONNode.text(tool), "arguments": arguments]
    let result = try await request("tools/call", params, told: told)
    do { return try ToolOutcome(result.decode(ToolMessages.Outcome.self)) } catch is DecodingError {
      throw ToolError.garbled(name)
    }
  }

  func stop(_ reason: any Error) {
    process.stop()
    finish(reason)
  }

  var hasEnded: Bool { end != nil }

  // MARK: What is asked first

  private func greet() async throws {
    let result = try await request("initialize", ToolMessages.greeting, told: nil)
    guard let welcome = try? result.decode(ToolMessages.Welcome.self) else { throw ToolError.garbled(name) }
    guard ToolMessages.versions.contains(welcome.protocolVersion) else {
      throw ToolError.version(name, String(welcome.protocolVersion.prefix(40)))
    }
    try send(.init(method: "notifications/initialized"))
  }

  private func tools() async throws -> [OutsideTool] {
    var (found, cursor): ([OutsideTool], String?) = ([], nil)
    for _ in 0..<Self.mostPages {
      let params = cursor.map { ["cursor": JSONNode.text($0)] } ?? [:]
      let result = try await request("tools/list", .object(params), told: nil)
      guard let list = try? result.decode(ToolMessages.ToolList.self) else { throw ToolError.garbled(name) }
      found += list.tools.map(OutsideTool.init)
      cursor = list.nextCursor
      if cursor == nil || found.count >= OutsideTool.most { break }
    }
    return Array(found.prefix(OutsideTool.most))
  }

  // MARK: Requests

  private func request(_ method: String, _ params: [String: JSONNode], told: Told?) async throws -> JSONNode {
    try await request(method, .object(params), told: told)
  }

  private func request(_ method: String, _ params: JSONNode, told: Told?) async throws -> JSONNode {
    if let end { throw end }
    last += 1
    let id = last
    var params = params
    if told != nil, case .object(var fields) = params {
      fields["_meta"] = .object(["progressToken": .whole(id)])
      params = .object(fields)
    }
    let message = ToolMessages.Outgoing(id: .whole(id), method: method, params: params)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { answer in
        waiting[id] = Waiting(answer: answer, told: told)
        do { try send(message) } catch { waiting.removeValue(forKey: id)?.answer.resume(throwing: error) }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
  }

  private func giveUp(_ id: Int) {
    guard let gone = waiting.removeValue(forKey: id) else { return }
    gone.answer.resume(throwing: CancellationError())
    // One that cannot be told any more has ended, and its end is told by whoever reads.
    try? send(.init(method: "notifications/cancelled", params: .object(["requestId": .whole(id)])))
  }

  private func send(_ message: ToolMessages.Outgoing) throws { try process.write(JSON.encode(message)) }

  // MARK: What it says

  private func listen() {
    reading = Task {
      do {
        for try await line in process.lines { receive(line) }
        finish(ToolProcessError.stopped(name))
      } catch { finish(error) }
    }
  }

  private func finish(_ reason: any Error) {
    guard end == nil else { return }
    end = reason
    let left = waiting
    waiting = [:]
    for one in left.values { one.answer.resume(throwing: reason) }
  }

  private func receive(_ line: Data) {
    // What is no message is left unread, as the protocol's own programs do: some servers print greetings.
    guard let message = try? JSON.decode(ToolMessages.Incoming.self, from: line) else { return }
    switch (message.method, message.id) {
    case ("ping"?, let id?): answer(.init(id: id, result: .object([:])))
    case (let method?, let id?):
      let failure = ToolMessages.Failure(
        code: ToolMessages.Failure.unknownMethod, message: "\(method.prefix(100)) is not offered.")
      answer(.init(id: id, error: failure))
    case ("notifications/progress"?, nil): report(message.params)
    case (nil, .whole(let id)?): take(id, message)
    default: break
    }
  }

  private func answer(_ message: ToolMessages.Outgoing) {
    // A server that does not read is ended by the writing, and its end is told by whoever reads.
    try? send(message)
  }

  private func take(_ id: Int, _ message: ToolMessages.Incoming) {
    guard let waiting = waiting.removeValue(forKey: id) else { return }
    if let error = message.error {
      let reason = String(error.message.prefix(2000))
      let isUnreached = error.code == ToolMessages.Failure.unreached
      waiting.answer.resume(throwing: isUnreached ? ToolError.unreached(name, reason) : .refused(name, reason))
    } else {
      waiting.answer.resume(returning: message.result ?? .object([:]))
    }
  }

  private func report(_ params: JSONNode?) {
    guard let progress = try? params?.decode(ToolMessages.Progress.self), case .whole(let id) = progress.progressToken,
      let told = waiting[id]?.told
    else { return }
    let share = progress.progress.flatMap { done in
      progress.total.map { $0 > 0 ? "\(Int((min(1, max(0, done / $0)) * 100).rounded())) %" : "" }
    }
    told([share, progress.message.map { String($0.prefix(500)) }].compactMap(\.self).joined(separator: " "))
  }
}

extension OutsideTool {
  init(_ tool: ToolMessages.ToolList.Tool) {
    let schema = tool.inputSchema ?? .object([:])
    self.init(
      name: String(tool.name.prefix(128)), title: tool.title.map { String($0.prefix(200)) },
      description: String((tool.description ?? "").prefix(Self.longestDescription)), fields: ToolField.all(in: schema),
      schema: schema)
  }
}
