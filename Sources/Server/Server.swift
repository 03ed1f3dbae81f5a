package import Assistant
package import Core
package import Documents
package import Foundation
import Synchronization

/// HTTP on loopback: the page, `POST /api/NAME` for every operation, one stream of events.
///
/// `LoopbackSockets.open` binds before the process seals itself; `start` serves from those sockets.
package final class Server: ExchangeDesk {
  package let port: UInt16
  package let access: Access
  /// Events for every open page; see `docs/api.md` for their shape.
  package let events: EventRing

  /// Everything that is served, for the test that holds docs/openapi.json to it.
  let routes: [Route]

  private let listening: LoopbackSockets
  private let bounds: Bounds
  private let router: Router
  private let uploads: Uploads
  private let runs: Runs
  /// What else keeps what was told.
  private let forgetting: [@Sendable () async -> Void]
  private let life = Mutex<(daemon: Daemon?, watch: Task<Void, Never>?)>((nil, nil))

  /// `origins`: pages of others that may come. `web` nil: the folder beside the program; `keys` nil: those of the data folder.
  package init(
    _ listening: LoopbackSockets, folders: Folders, services: [Service], keys: Keys? = nil, routes extra: [Route] = [],
    origins: Set<String> = [], web: URL? = nil, bounds: Bounds = Bounds(), desk: ParseDesk = ParseDesk(),
    forgetting: [@Sendable () async -> Void] = []
  ) throws {
    self.forgetting = forgetting
    var bounds = bounds
    bounds.fitToFileLimit()
    let web = try web ?? Installation().web
    port = listening.port
    access = Access(keys: keys ?? Keys(folder: folders.data))
    events = EventRing(events: bounds.ringEvents, bytes: bounds.ringBytes)
    uploads = try Uploads(folder: Handed.folder(folders, port: listening.port), bounds: bounds)
    runs = Runs(ring: events, limit: bounds.runs)
    let operations = OperationRoutes(services: services, runs: runs, ring: events, uploads: uploads, bounds: bounds)
    routes =
      try PageFiles(folder: web).routes + SessionRoutes(sessions: access.sessions).routes
      + BackupRoutes(folder: folders.backups).routes + MarkdownRoutes(renderer: MarkdownRenderer(desk)).routes
      + operations.routes + [
        Route("GET", "/api/ping", needs: .entry, .now { _ in .json(["ok": true]) }),
        // Where those who watch over servers look, as of llama.cpp's and others: it lives, and nothing more is told.
        Route("GET", "/health", needs: .nothing, .now { _ in .json(["status": "ok"]) }),
        // What the caller can do here: the page shows nothing that is not there.
        Route(
          "GET", "/api", needs: .entry,
          .now { request in
            .json(["operations": services.filter { request.caller.may($0.right) }.map(\.name).sorted()])
          }),
      ]
      + extra
    router = Router(routes, gate: RequestGate(port: listening.port, origins: origins), access: access)
    self.listening = listening
    self.bounds = bounds
  }

  package func start() throws {
    let daemon = Daemon(desk: self, bounds: bounds)
    try daemon.start(on: listening.sockets)
    let heartbeat = max(1, Int(bounds.heartbeatSeconds))
    let watch = Task { [events, access, runs, uploads] in
      var seconds = 0
      while !Task.isCancelled {
        guard await waited(.seconds(1)) else { return }
        // Where the keys cannot be read nobody new is let in; those who were stay.
        let holds: @Sendable (Caller) -> Bool = { caller in (try? access.holds(caller)) ?? true }
        daemon.inspect(holds: holds)
        await runs.cancel { !holds($0) }
        seconds += 1
        guard seconds.isMultiple(of: heartbeat) else { continue }
        events.beat()
        // What cannot be removed now is looked at again.
        do { try uploads.removeLate() } catch { continue }
      }
    }
    life.withLock { $0 = (daemon, watch) }
  }

  /// Returns when everybody has been given what was made for them, or when `deadline` is past.
  package func finish(by deadline: ContinuousClock.Instant) async throws {
    // Twice in a row: what the daemon took last may still be on its way to the socket.
    var looks = 0
    while looks < 2, ContinuousClock.now < deadline {
      let isBusy = await runs.areBusy
      looks = isBusy || life.withLock({ $0.daemon?.owes == true }) ? 0 : looks + 1
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Ends running operations and every connection.
  package func stop() async {
    let (daemon, watch) = life.withLock { life in
      defer { life = (nil, nil) }
      return life
    }
    watch?.cancel()
    await runs.cancelAll()
    daemon?.stop()
    // What cannot be removed now is removed by the next server on this port.
    do { try uploads.close() } catch { return }
  }

  package var address: String { "http://127.0.0.1:\(port)/" }

  package var openConnections: Int { life.withLock { $0.daemon?.lines.count ?? 0 } }

  func admit(_ request: Request) throws -> Router.Match { try router.admit(request) }
  func headers(for request: Request) -> [(name: String, value: String)] { router.headers(for: request) }
  func place(of request: Request) -> URL { uploads.place(of: request) }
  func create(_ file: URL) throws -> FileHandle { try uploads.create(file) }
  func leave(_ file: URL) { uploads.leave(file) }
  func discard(_ file: URL) throws { try uploads.discard(file) }
}

extension Server: Reception {
  /// A code in a link that stands on the person's own terminal holds longer than one that is handed to a browser at once.
  package func link() -> String { address + "#key=" + access.sessions.mint(for: .seconds(600)) }
  package func sessions() -> [SessionEntry] { access.sessions.list() }
  package func end(_ session: String) -> Bool { access.sessions.end(session) }
  package func forget() async {
    await runs.forget()
    for forget in forgetting { await forget() }
  }
}
