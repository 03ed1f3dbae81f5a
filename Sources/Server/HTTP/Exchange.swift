import CHTTP
import Core
import Foundation
import Resources
import Synchronization

/// One request and its answer on one connection.
///
/// The daemon's thread calls `begin`, `receive`, `proceed` and `read`; a task answers through `finish`. While nothing can be
/// done the connection is suspended, so that a thousand waiting readers cost no thread.
final class Exchange: Sendable {
  private enum Phase {
    case receiving
    case working(Task<Void, Never>?)
    case answered(Response)
    case streaming(any BodySource)
    case gone

    /// Ends the work and closes what is still being sent.
    func end() {
      switch self {
      case .working(let task): task?.cancel()
      case .streaming(let source): source.close()
      case .answered(let response): if case .stream(let source) = response.body { source.close() }
      case .receiving, .gone: break
      }
    }
  }

  private struct State {
    var request: Request
    var phase = Phase.receiving
    var route: Router.Match?
    var refusal: Response?
    var received = 0
    /// Bytes of an upload that the disk has not taken yet.
    var unwritten = 0
    var isWritten = false
    /// It is whole, and whoever answers has it.
    var isHandedOver = false
    var waitsForRoom = false
    var suspended = false
    var signalled = false
    /// As what it is counted.
    var counted: RequestShare?
  }

  // The daemon owns the connection; it stays valid until the completed callback, after which `phase` is `gone` and it is
  // not touched any more.
  private nonisolated(unsafe) let connection: OpaquePointer
  private let line: ClientConnection
  private let daemon: Daemon
  private let state: Mutex<State>
  /// Where an upload is written, once the disk's thread has opened it.
  private let upload = Mutex<FileHandle?>(nil)

  init(_ connection: OpaquePointer, line: ClientConnection, daemon: Daemon, request: Request) {
    self.connection = connection
    self.line = line
    self.daemon = daemon
    state = Mutex(State(request: request))
  }

  // MARK: The daemon's thread

  /// The head is here: refuse at once, or get ready for the body.
  func begin() -> MHD_Result {
    var request = state.withLock { $0.request }
    do {
      let match = try daemon.desk.admit(request)
      request.caller = match.caller
      line.admit(match.caller)
      let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
      guard length <= match.route.body.limit else { throw ServerError.tooLarge(limit: match.route.body.limit) }
      try count(request, match, length)
      line.enter(.receiving(deadline: match.route.body.seconds), self)
      if case .file = match.route.body {
        let file = daemon.desk.place(of: request)
        request.file = file
        onDisk({ [self] in try upload.withLock { $0 = try daemon.desk.create(file) } })
      }
      state.withLock {
        $0.route = match
        $0.request = request
      }
      return .YES
    } catch {
      return queue(.failure(error, at: request.path))
    }
  }

  /// A program's requests have a bound; what hides its length counts as the most it could be. Streams of events, which wait and hold
  /// nothing, are bounded as connections are.
  private func count(_ request: Request, _ match: Router.Match, _ length: Int) throws {
    guard case .key(let id, _) = match.caller, request.path != "/api/events" else { return }
    var bytes = 0
    if case .json(let limit, _) = match.route.body {
      bytes = request.headers["transfer-encoding"] == nil ? length : limit
    }
    let share = try daemon.requests.enter(id, bytes: bytes)
    state.withLock { $0.counted = share }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
    state.withLock { state in
      guard let route = state.route?.route else { return .NO }
      state.received += bytes.count
      // Too late to answer in the middle of a body that hid its length: the connection ends.
      guard state.received <= route.body.limit else { return .NO }
      guard state.request.file != nil else {
        state.request.body.append(contentsOf: bytes)
        return .YES
      }
      let piece = Data(bytes)
      state.unwritten += piece.count
      onDisk({ [self] in try upload.withLock { try $0?.write(contentsOf: piece) } }) { [self] state in
        state.unwritten -= piece.count
        guard state.waitsForRoom, state.unwritten < Self.mostUnwritten else { return }
        state.waitsForRoom = false
        resume(&state)
      }
      if state.unwritten >= Self.mostUnwritten { state.waitsForRoom = suspend(&state) }
      return .YES
    }
  }

  /// More of an upload is not taken before the disk has taken this.
  private static let mostUnwritten = 64 << 10

  /// The request is complete, or the suspended connection was woken.
  func proceed() -> MHD_Result {
    enum Step { case answer(Response), work(Request, Route), wait, stop }
    let step = state.withLock { state -> Step in
      switch state.phase {
      case .receiving:
        guard let route = state.route?.route else { return .stop }
        if state.request.file != nil, !state.isWritten {
          guard suspend(&state) else { return .stop }
          state.waitsForRoom = false
          // Behind the last of it, so that all is written.
          onDisk({ [self] in try upload.withLock { try $0?.close() } }) { [self] state in
            state.isWritten = true
            resume(&state)
          }
          return .wait
        }
        if let refusal = state.refusal { return .answer(refusal) }
        state.phase = .working(nil)
        state.isHandedOver = true
        return .work(state.request, route)
      case .answered(let response): return .answer(response)
      case .working, .streaming, .gone: return .stop
      }
    }
    switch step {
    case .answer(let response): return queue(response)
    case .stop: return .NO
    case .wait: return .YES
    case .work(let request, let route):
      line.enter(.working, self)
      switch route.answer {
      case .now(let answer):
        do { return queue(try answer(request)) } catch { return queue(.failure(error, at: request.path)) }
      case .later(let answer):
        guard suspend({ if case .working = $0.phase { true } else { false } }) else { return .NO }
        if let file = request.file { daemon.desk.leave(file) }
        let share = state.withLock { $0.counted }
        let task = Task {
          await Caller.$asking.withValue(request.caller) {
            await RequestShare.$mine.withValue(share) {
              do {
                let response = try await self.inTurn(request, answer)
                if case .data(let data) = response.body { try share?.hold(data.count) }
                self.finish(response)
              } catch { self.finish(.failure(error, at: request.path)) }
            }
          }
        }
        state.withLock { if case .working = $0.phase { $0.phase = .working(task) } }
        return .YES
      }
    }
  }

  /// What is long takes a while to be taken apart, which nothing interrupts: of what programs send one such body at a
  /// time, and callers take turns, so that the page has a thread left.
  private func inTurn(
    _ request: Request, _ answer: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    guard request.body.count > Self.long, case .key = request.caller else { return try await answer(request) }
    return try await daemon.long.run("a long request", .person, cores: 1) { _ in try await answer(request) }
  }

  private static let long = 256 << 10

  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let source = state.withLock { state -> (any BodySource)? in
        state.signalled = false
        guard case .streaming(let source) = state.phase else { return nil }
        return source
      }
      guard let source else { return libera_http_broken() }
      switch source.read(into: buffer) {
      case .bytes(let count): return count
      case .end: return libera_http_end()
      case .nothingYet: break
      }
      let sleeps = suspend { state in
        if case .streaming = state.phase { !state.signalled } else { false }
      }
      if sleeps { return 0 }
      if daemon.isStopping { return libera_http_broken() }
    }
  }

  func completed() {
    let (phase, counted, partial) = state.withLock { state -> (Phase, RequestShare?, URL?) in
      defer { state.phase = .gone }
      return (state.phase, state.counted, state.isHandedOver ? nil : state.request.file)
    }
    if let partial {
      onDisk({ [self] in
        try upload.withLock { try $0?.close() }
        try daemon.desk.discard(partial)
      })
    }
    counted?.leave()
    line.enter(.waiting)
    phase.end()
  }

  // MARK: The disk's thread

  /// What `step` fails with is the answer.
  private func onDisk(
    _ step: @escaping @Sendable () throws -> Void, then: @escaping @Sendable (inout State) -> Void = { _ in }
  ) {
    daemon.disk.async { [self] in
      let outcome = Result(catching: step)
      state.withLock { state in
        if case .failure(let error) = outcome, state.refusal == nil {
          state.refusal = .failure(error as? ServerError ?? .uploadFailed(error.localizedDescription))
        }
        then(&state)
      }
    }
  }

  // MARK: Any thread

  /// Whether an answer is being made or has not been handed over whole.
  var owes: Bool {
    let (owes, source) = state.withLock { state -> (Bool, (any BodySource)?) in
      switch state.phase {
      case .working, .answered: (true, nil)
      case .streaming(let source): (false, source)
      case .receiving, .gone: (false, nil)
      }
    }
    return owes || source?.owes == true
  }

  private func finish(_ response: Response) {
    let late = state.withLock { state -> Bool in
      guard case .working = state.phase else { return true }
      state.phase = .answered(response)
      resume(&state)
      return false
    }
    if late, case .stream(let source) = response.body { source.close() }
  }

  private func wake() {
    state.withLock { state in
      state.signalled = true
      resume(&state)
    }
  }

  /// The client has gone, or the server stops: ends the work and lets the daemon see the connection again.
  func abandon() {
    let phase = state.withLock { state -> Phase in
      defer {
        if case .receiving = state.phase {} else { state.phase = .gone }
        resume(&state)
      }
      return state.phase
    }
    phase.end()
  }

  /// Under the lock that `resume` takes, so that no wake-up falls between the look and the sleep. Never while the server
  /// stops: the daemon cannot end with a suspended connection.
  private func suspend(_ allowed: (borrowing State) -> Bool) -> Bool {
    state.withLock { allowed($0) && suspend(&$0) }
  }

  private func suspend(_ state: inout State) -> Bool {
    guard !daemon.isStopping else { return false }
    // Of a body in chunks the daemon hands over what it has read already. Suspended twice, its list of connections has no end.
    guard !state.suspended else { return true }
    state.suspended = true
    MHD_suspend_connection(connection)
    return true
  }

  private func resume(_ state: inout State) {
    guard state.suspended else { return }
    state.suspended = false
    MHD_resume_connection(connection)
  }

  // MARK: Answering

  private func queue(_ response: Response) -> MHD_Result {
    let made: OpaquePointer?
    switch response.body {
    case .data(let data):
      made = Self.response(of: data)
    case .stream(let source):
      source.attach { [weak self] in self?.wake() }
      state.withLock { $0.phase = .streaming(source) }
      made = MHD_create_response_from_callback(
        libera_http_unknown_size(), Self.block, readBody, Unmanaged.passRetained(self).toOpaque(), releaseBody)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    let request = state.withLock { $0.request }
    for (name, value) in Headers.always + daemon.desk.headers(for: request) + response.headers {
      MHD_add_response_header(made, name, value)
    }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }
}

private func readBody(
  _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
  guard let context, let buffer else { return libera_http_broken() }
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  return exchange.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
}

private func releaseBody(_ context: UnsafeMutableRawPointer?) {
  if let context { Unmanaged<Exchange>.fromOpaque(context).release() }
}
