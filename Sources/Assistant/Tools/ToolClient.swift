import Core
import Foundation
import Safety
import Workers

/// Speaks with one running tool server.
actor ToolClient {
  typealias Told = @Sendable (String) -> Void

  private static let mostPages = 32
  private static let longestGreeting = 64 << 10
  /// All that a server may say until it has told what it offers, which is kept for as long as it runs.
  private static let longestOffers = 16 << 20

  private struct Waiting {
    var answer: CheckedContinuation<JSONNode, any Error>
    var told: Told?
  }

  private let name: String
  private let process: ToolProcess
  /// It is spoken to by the bridge, which says by a number of its own what it could not do.
  private let isElsewhere: Bool
  private var waiting: [Int: Waiting] = [:]
  private var last = 0
  private var end: (any Error)?
  /// So many bytes it has said; nil once it has told what it offers.
  private var offering: Int? = 0
  private var reading: Task<Void, Never>?

  private init(_ name: String, _ process: ToolProcess, _ isElsewhere: Bool) {
    (self.name, self.process, self.isElsewhere) = (name, process, isElsewhere)
  }

  /// Greets the server and asks for its tools. One that has not answered within `patience` is ended.
  static func start(
    _ name: String, _ process: ToolProcess, isElsewhere: Bool, patience: Duration
  ) async throws -> (client: ToolClient, offers: ToolOffers) {
    let client = ToolClient(name, process, isElsewhere)
    let clock = Task {
      try await Task.sleep(for: patience)
      await client.stop(ToolError.silent(name))
    }
    defer { clock.cancel() }
    do {
      await client.listen()
      let welcome = try await client.greet()
      let offers = try await client.offers(welcome)
      await client.hasOffered()
      return (client, offers)
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

  private func greet() async throws -> ToolMessages.Welcome {
    let result = try await request("initialize", ToolMessages.greeting, told: nil)
    guard let welcome = try? result.decode(ToolMessages.Welcome.self) else { throw ToolError.garbled(name) }
    guard ToolMessages.versions.contains(welcome.protocolVersion) else {
      throw ToolError.version(name, welcome.protocolVersion.letters(40))
    }
    try send(.init(method: "notifications/initialized"))
    return welcome
  }

  private func offers(_ welcome: ToolMessages.Welcome) async throws -> ToolOffers {
    var offers = ToolOffers()
    if welcome.offers("tools") {
      offers.tools = try await all("tools/list", ToolMessages.ToolList.self, OutsideTool.most).map(OutsideTool.init)
      // Of two with one name a person could not say which is meant.
      let names = Dictionary(grouping: offers.tools, by: \.name)
      offers.tools.removeAll { names[$0.name, default: []].count > 1 }
    }
    if welcome.offers("resources") {
      offers.resources = try await all("resources/list", ToolMessages.ResourceList.self, OutsideResource.most)
        .filter { $0.uri.utf8.count <= WebAddress.longest }.map(OutsideResource.init)
    }
    if welcome.offers("prompts") {
      offers.prompts = try await all("prompts/list", ToolMessages.PromptList.self, OutsidePrompt.most)
        .map(OutsidePrompt.init)
    }
    return offers
  }

  private func all<Page: ToolMessages.Page>(
    _ method: String, _ page: Page.Type, _ most: Int
  ) async throws -> [Page.Item] {
    var (found, cursor): ([Page.Item], String?) = ([], nil)
    for _ in 0..<Self.mostPages {
      let list = try await ask(method, cursor.map { ["cursor": .text($0)] } ?? [:], for: page)
      found += list.items
      cursor = list.nextCursor
      if cursor == nil || found.count >= most { break }
    }
    return Array(found.prefix(most))
  }

  // MARK: What is read

  func read(_ uri: String) async throws -> ResourceContents {
    ResourceContents(try await ask("resources/read", ["uri": .text(uri)], for: ToolMessages.ResourceRead.self))
  }

  /// The text of a prepared question.
  func prompt(_ prompt: String, _ values: [String: JSONNode]) async throws -> String {
    let params = ["name": JSONNode.text(prompt), "arguments": .object(values)]
    return Sanitiser.clean(try await ask("prompts/get", params, for: ToolMessages.PromptText.self).text).text
  }

  private func ask<Answer: Decodable>(
    _ method: String, _ params: [String: JSONNode], for type: Answer.Type
  ) async throws -> Answer {
    let result = try await request(method, params, told: nil)
    do { return try result.decode(type) } catch is DecodingError { throw ToolError.garbled(name) }
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

  private func hasOffered() { offering = nil }

  private func receive(_ line: Data) {
    if let before = offering {
      offering = before + line.count
      guard before + line.count <= Self.longestOffers else { return stop(ToolProcessError.flooded(name)) }
    }
    // What is no message is left unread, as the protocol's own programs do: some servers print greetings.
    guard let message = try? JSON.decode(ToolMessages.Incoming.self, from: line) else {
      // No greeting is so long, and somebody may wait for what it was to be.
      if line.count > Self.longestGreeting { stop(ToolError.garbled(name)) }
      return
    }
    switch (message.method, message.id) {
    case ("ping"?, let id?): answer(.init(id: id, result: .object([:])))
    case (let method?, let id?):
      let failure = ToolMessages.Failure(
        code: ToolMessages.Failure.unknownMethod, message: "\(method.letters(100)) is not offered.")
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
    if let node = message.error, node != .null, let error = try? ToolMessages.Failure(node) {
      let reason = error.message.letters(2000)
      let isUnreached = isElsewhere && error.code == ToolMessages.Failure.unreached
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
    told([share, progress.message.map { $0.letters(500) }].compactMap(\.self).joined(separator: " "))
  }
}
