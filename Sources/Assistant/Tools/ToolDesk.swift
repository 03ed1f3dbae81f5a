package import Core
import Foundation
package import Workers

/// The tools of others: which there are, a card for what a person wants of one, and the call once it is agreed to.
package actor ToolDesk {
  /// A server that nobody used for so long is ended.
  private static let idle = Duration.seconds(300)
  private static let mostCards = 64
  /// How long a server may take to answer its greeting. Tests, which share two cores among hundreds, are more patient.
  private var patience = Duration.seconds(60)

  private struct Running {
    var server: ToolServer
    var start: Task<(client: ToolClient, offers: ToolOffers), any Error>
    var idle: Task<Void, Never>?
  }

  package typealias Start = @Sendable (_ name: String) async throws -> ToolProcess

  /// Starts a server; nil where none can be.
  private let start: Start?
  private let folders: Folders
  private var running: [String: Running] = [:]
  private var calls = 0
  /// The oldest first, each with its server as it was then, and who had it made.
  private var cards: [(card: ToolCard, server: ToolServer, caller: Caller)] = []

  package init(_ folders: Folders, start: Start?) { (self.folders, self.start) = (folders, start) }

  init(_ launcher: Launcher?, _ folders: Folders) {
    var start: Start?
    if let launcher { start = { name in try await launcher.start(tool: name) } }
    self.init(folders, start: start)
  }

  nonisolated func servers() throws -> [ToolServer] {
    guard start != nil else { return [] }
    return try ToolServers.read(folders).servers
  }

  func wait(_ patience: Duration) { self.patience = patience }

  /// What a server offers; it is started for that.
  package func offers(of server: ToolServer) async throws -> ToolOffers { try await open(server).offers }
  func tools(of server: ToolServer) async throws -> [OutsideTool] { try await offers(of: server).tools }

  /// Only what the server has listed is read.
  package func read(_ uri: String, of server: ToolServer) async throws -> ResourceContents {
    guard try await offers(of: server).resources.contains(where: { $0.uri == uri }) else {
      throw ToolError.noResource(server.name, uri)
    }
    return try await using(server) { try await $0.read(uri) }
  }

  package func prompt(_ name: String, _ values: [String: JSONNode], of server: ToolServer) async throws -> String {
    try await using(server) { try await $0.prompt(name, values) }
  }

  /// It is not ended as idle meanwhile.
  private func using<Result: Sendable>(
    _ server: ToolServer, _ work: (ToolClient) async throws -> Result
  ) async throws -> Result {
    let client = try await open(server).client
    calls += 1
    defer {
      calls -= 1
      rest(server.name)
    }
    return try await work(client)
  }

  // MARK: Cards

  /// Keeps a card until it is agreed to, or others of the same caller have come after it: programs take no room from the person's.
  package func keep(_ card: ToolCard, of server: ToolServer) {
    let caller = Caller.asking
    cards.append((card, server, caller))
    let same = cards.indices.filter { cards[$0].caller.isSameParty(as: caller) }
    if same.count > Self.mostCards { cards.remove(at: same[0]) }
  }

  func card(_ id: String) throws -> ToolCard {
    guard let kept = cards.first(where: { $0.card.id == id }) else { throw ToolError.noCard }
    return kept.card
  }

  /// Whether it was agreed to, or its tool may act unasked: as it is decided now, not when the card was made.
  func mayCall(_ card: ToolCard, confirmed: Bool) throws -> Bool {
    if confirmed { return true }
    return try ToolServers.read(folders).named(card.server).actsUnasked(card.tool.name, hash: card.tool.hash)
  }

  /// What has been listed can then be let act unasked. The list that a terminal prints after `allow` says what was decided.
  nonisolated func shown(_ tools: [OutsideTool], of server: ToolServer) throws {
    var shown = ShownTools.read(folders)
    let before = shown
    shown.show(Dictionary(try tools.map { ($0.name, try $0.hash) }) { $1 }, of: server.name)
    if shown != before { try shown.write(folders) }
  }

  /// Each card acts once.
  package func call(
    _ card: ToolCard, _ arguments: [String: JSONNode], told: @escaping @Sendable (String) -> Void
  ) async throws -> ToolOutcome {
    guard let kept = cards.first(where: { $0.card.id == card.id }) else { throw ToolError.noCard }
    cards.removeAll { $0.card.id == card.id }
    let server = try ToolServers.read(folders).named(card.server)
    // Another program may have taken the name since.
    guard server.isSameProgram(as: kept.server) else { throw ToolError.noCard }
    return try await using(server) { try await $0.call(card.tool.name, .object(arguments), told: told) }
  }

  // MARK: Servers

  /// One that runs as it was added, or a fresh one.
  private func open(_ server: ToolServer) async throws -> (client: ToolClient, offers: ToolOffers) {
    guard let start else { throw ToolError.notHere }
    if let known = running[server.name] {
      if server.isSameProgram(as: known.server), let opened = try? await known.start.value,
        await !opened.client.hasEnded
      {
        rest(server.name)
        return opened
      }
      await stop(server.name)
    }
    let name = server.name
    let opening = Task { [patience] in
      try await ToolClient.start(name, start(name), isElsewhere: server.address != nil, patience: patience)
    }
    running[name] = Running(server: server, start: opening)
    do {
      let opened = try await opening.value
      rest(name)
      return opened
    } catch {
      running[name] = nil
      throw error
    }
  }

  func isRunning(_ name: String) -> Bool { running[name] != nil }

  /// From now on it waits for its next use, for a while, and as long as nobody has removed it.
  private func rest(_ name: String) {
    running[name]?.idle?.cancel()
    running[name]?.idle = Task { [weak self] in
      let end = ContinuousClock.now + Self.idle
      repeat {
        guard await waited(.seconds(1)) else { return }  // it was used again
      } while await self?.isKept(name) == true && ContinuousClock.now < end
      await self?.endIdle(name)
    }
  }

  private func isKept(_ name: String) -> Bool {
    guard let running = running[name] else { return false }
    // A list that cannot be read allows nothing.
    guard let kept = try? ToolServers.read(folders).named(name) else { return false }
    return kept.isSameProgram(as: running.server)
  }

  private func endIdle(_ name: String) async {
    // A call that is under way begins the wait anew when it ends.
    guard calls == 0 else { return }
    await stop(name)
  }

  private func stop(_ name: String) async {
    guard let gone = running.removeValue(forKey: name) else { return }
    gone.idle?.cancel()
    // One that could not be started has been ended already.
    if let opened = try? await gone.start.value { await opened.client.stop(ToolProcessError.stopped(name)) }
  }

  package func close() async {
    for name in running.keys.sorted() { await stop(name) }
    cards = []
  }
}
