import CLinux
import Core
package import Foundation
import Synchronization

/// Answers one operation: its name and its JSON body in, JSON events out.
package typealias Answering = @Sendable (_ operation: String, _ body: Data) -> AsyncThrowingStream<Data, any Error>

/// The owner's Unix socket, bound and listening but not yet answering: whoever connects waits. Made before the process seals itself,
/// because afterwards nothing can be bound.
package final class OwnerListener: Sendable {
  fileprivate let descriptor: CInt
  fileprivate let file: URL
  private let lock: OwnerLock

  /// Listens at `file`, mode 0600. Holding the lock is what makes it right to remove a socket left behind by a process that
  /// was killed.
  package init(_ file: URL, holding lock: OwnerLock) throws {
    (self.file, self.lock) = (file, lock)
    let folder = try Folder(of: file)
    if unlink(file.path) != 0, errno != ENOENT {
      throw WorkerError.socket("\(file.path): \(systemReason())")
    }
    descriptor = libera_listen(folder.descriptor, file.lastPathComponent, 16)
    guard descriptor >= 0 else { throw WorkerError.socket("\(file.path): \(systemReason())") }
  }

  deinit { close(descriptor) }
}

/// The owner's side of its Unix socket: other commands of the same person call the same operations through it.
package final class OwnerSocket: Sendable {
  private static let mostSessions = 64
  private let listener: OwnerListener
  private let sessions = Mutex<[ObjectIdentifier: Session]>([:])
  private let isClosed = CancelFlag()

  /// Answers whoever connects, and has connected since the listener began.
  package init(_ listener: OwnerListener, answer: @escaping Answering) {
    self.listener = listener
    let isClosed = isClosed
    Thread.detachNewThread { [weak self] in
      while !isClosed.isSet {
        let socket = libera_accept(listener.descriptor)
        guard !isClosed.isSet else {
          if socket >= 0 { close(socket) }
          break
        }
        // Out of descriptors, most likely: those in use will come back.
        guard socket >= 0 else {
          Thread.sleep(forTimeInterval: 0.05)
          continue
        }
        self?.welcome(Channel(socket), answer)
      }
      // It closes, and the right to write is given back, when nobody holds it any more.
      withExtendedLifetime(listener) {}
    }
  }

  deinit { stop() }

  /// Stops listening, ends the calls of all who are connected, removes the socket.
  package func stop() {
    guard !isClosed.isSet else { return }
    isClosed.set()
    shutdown(listener.descriptor, CInt(SHUT_RDWR))
    unlink(listener.file.path)
    for session in sessions.withLock({ $0.values.map(\.self) }) { session.channel.shut() }
  }

  /// Returns when nobody waits for an answer any more, or when `deadline` is past, and then stops.
  package func finish(by deadline: ContinuousClock.Instant? = nil) async throws {
    while sessions.withLock({ $0.values.contains { $0.isBusy } }), deadline.map({ .now < $0 }) ?? true {
      try await Task.sleep(for: .milliseconds(20))
    }
    stop()
  }

  private func welcome(_ channel: Channel, _ answer: @escaping Answering) {
    let session = Session(channel)
    let isWelcome = sessions.withLock { sessions in
      guard sessions.count < OwnerSocket.mostSessions else { return false }
      sessions[ObjectIdentifier(session)] = session
      return true
    }
    guard isWelcome else { return }
    Thread.detachNewThread { [weak self] in
      session.serve(answer)
      self?.sessions.withLock { $0[ObjectIdentifier(session)] = nil }
    }
  }
}

/// One connected command: a thread that reads, a task per call, a queue that writes.
private final class Session: Sendable {
  /// A command has one call at a time, perhaps a few.
  private static let mostCalls = 64
  /// A command that is still connected calls again within this time, or waits for a person.
  private static let pause = Duration.milliseconds(500)
  /// A command that has connected makes its first call as soon as it runs again, however busy the machine is.
  private static let start = Duration.seconds(10)
  let channel: Channel
  private let writer = DispatchQueue(label: "libera.owner.write")
  private let calls = Mutex<[UInt64: Task<Void, Never>]>([:])
  private let expectsCallUntil = Mutex(ContinuousClock.now + Session.start)

  init(_ channel: Channel) { self.channel = channel }

  /// Has a call under way, or may be about to make its first or its next.
  var isBusy: Bool {
    calls.withLock { !$0.isEmpty } || ContinuousClock.now < expectsCallUntil.withLock(\.self)
  }

  func serve(_ answer: @escaping Answering) {
    do {
      try refuseStrangers()
      guard let hello = try channel.read() else { return }
      // Ours goes out even if theirs is of another version, so that they can say so.
      try channel.write(.hello(OwnerGreeting(process: getpid())))
      _ = try hello.readHello(OwnerGreeting.self)
      while let frame = try channel.read() {
        for file in frame.files { close(file) }
        switch frame.kind {
        case .call: try begin(frame, answer)
        case .cancel: calls.withLock { $0[frame.request] }?.cancel()
        default: throw WorkerError.malformed("a frame out of place")
        }
      }
    } catch {
      // A command that breaks the rules loses its connection and nothing else happens.
    }
    channel.shut()
    for task in calls.withLock({ $0.values.map(\.self) }) { task.cancel() }
  }

  private func refuseStrangers() throws {
    var user = uid_t()
    var process = pid_t()
    guard libera_peer(channel.socket, &user, &process) == 0 else {
      throw WorkerError.socket(systemReason())
    }
    guard user == geteuid() else { throw WorkerError.stranger(Int(user)) }
  }

  private func begin(_ frame: WireFrame, _ answer: @escaping Answering) throws {
    let (operation, body) = try frame.readCall()
    let request = frame.request
    try calls.withLock { calls in
      guard calls.count < Session.mostCalls, calls[request] == nil else {
        throw WorkerError.malformed("too many calls, or one twice")
      }
      calls[request] = Task {
        do {
          do {
            for try await event in answer(operation, body) {
              try await self.send(WireFrame(.event, request: request, payload: event))
            }
            try Task.checkCancellation()
            try await self.send(WireFrame(.end, request: request))
          } catch {
            try await self.send(WireFrame(.failed, request: request, payload: JSON.encode(RemoteError(error))))
          }
        } catch {
          // The command has gone: its calls end with it.
          self.channel.shut()
        }
        self.expectsCallUntil.withLock { $0 = .now + Session.pause }
        self.calls.withLock { $0[request] = nil }
      }
    }
  }

  /// Returns once written, so that a command that reads slowly slows down its own answer and nothing piles up.
  private func send(_ frame: WireFrame) async throws {
    try await withCheckedThrowingContinuation { continuation in
      writer.async { continuation.resume(with: Result { try self.channel.write(frame) }) }
    }
  }
}

/// A command's side of the owner's socket.
package final class OwnerClient: Sendable {
  private let connection: WorkerConnection
  /// The owner's process.
  package let process: Int32

  /// nil when no owner listens there, be it that there is none or that it was killed and left its socket behind.
  package static func connect(_ file: URL) async throws -> OwnerClient? {
    guard FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path) else { return nil }
    let folder = try Folder(of: file)
    let socket = libera_connect(folder.descriptor, file.lastPathComponent)
    guard socket >= 0 else {
      guard [ENOENT, ECONNREFUSED].contains(errno) else {
        throw WorkerError.socket("\(file.path): \(systemReason())")
      }
      return nil
    }
    let connection = WorkerConnection(Channel(socket)) { $0 ?? WorkerError.ownerGone }
    do {
      let greeting = try await connection.open(.hello(OwnerGreeting(process: getpid()))).readHello(OwnerGreeting.self)
      return OwnerClient(connection, greeting.process)
    } catch WorkerError.ownerGone {
      // The owner listened and could not open its house; the next process may.
      return nil
    }
  }

  private init(_ connection: WorkerConnection, _ process: Int32) {
    self.connection = connection
    self.process = process
  }

  deinit { connection.shut() }

  /// Dropping the stream cancels the operation at the owner's.
  package func call(_ operation: String, _ body: Data) -> AsyncThrowingStream<Data, any Error> {
    let connection = connection
    return streaming { emit in
      for try await case .event(let data) in connection.call(operation, body, files: []) { emit(data) }
      try Task.checkCancellation()
      withExtendedLifetime(self) {}
    }
  }
}

/// An open folder, to name sockets in it by.
private final class Folder {
  let descriptor: CInt

  init(of file: URL) throws {
    descriptor = open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw WorkerError.socket("\(file.deletingLastPathComponent().path): \(systemReason())")
    }
  }

  deinit { close(descriptor) }
}
