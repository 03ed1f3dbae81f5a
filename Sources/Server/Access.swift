package import Core
package import Foundation
import Synchronization

/// The secrets that open the server: the token of API clients, the cookie of browsers, and the one-time codes by which a
/// browser gets its cookie. Token and cookie live in one file of the owner's alone, survive a restart and change together.
package final class Access: Sendable {
  private struct Secrets: Codable, Equatable {
    var token: String
    var session: String
  }

  private struct Stamp: Equatable {
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
  }

  private struct State {
    var secrets: Secrets
    var stamp: Stamp?
    var codes: [(code: String, made: ContinuousClock.Instant)] = []
  }

  package let file: URL
  private let state: Mutex<State>
  private static let codeLife = Duration.seconds(600)

  package init(folder: URL) throws {
    try Folders.make(folder)
    file = folder.appending(path: "access.json")
    let made = try Self.readOrMake(file)
    state = Mutex(State(secrets: made.0, stamp: made.1))
  }

  /// What an API client sends as its bearer.
  package func token() throws -> String { try current().token }

  /// The value of a browser's cookie.
  package func session() throws -> String { try current().session }

  /// New secrets; every client and browser must be let in again. A running server notices at its next request.
  package func rotate() throws {
    let fresh = Self.fresh()
    try Self.write(fresh, to: file)
    let stamp = Self.stamp(of: file)
    state.withLock {
      $0.secrets = fresh
      $0.stamp = stamp
      $0.codes = []
    }
  }

  package func caller(bearer: String?, cookie: String?) throws -> Caller {
    let secrets = try current()
    if let bearer, Self.same(bearer, secrets.token) { return .key(id: "token", rights: Set(Right.allCases)) }
    if let cookie, Self.same(cookie, secrets.session) { return .page(session: "cookie") }
    return .stranger
  }

  /// A code for the fragment of the page's address: good once, for ten minutes.
  package func mintCode() -> String {
    let code = Self.secret()
    state.withLock { state in
      state.codes.append((code, .now))
      if state.codes.count > 8 { state.codes.removeFirst() }
    }
    return code
  }

  package func redeem(_ code: String) -> Bool {
    state.withLock { state in
      state.codes.removeAll { ContinuousClock.now - $0.made > Self.codeLife }
      guard let place = state.codes.firstIndex(where: { Self.same($0.code, code) }) else { return false }
      state.codes.remove(at: place)
      return true
    }
  }

  // Another process may have rotated the file (`libera token --rotate`), so its stamp is looked at every time.
  private func current() throws -> Secrets {
    let stamp = Self.stamp(of: file)
    if let known = state.withLock({ $0.stamp == stamp && stamp != nil ? $0.secrets : nil }) { return known }
    let (secrets, fresh) = try Self.readOrMake(file)
    state.withLock {
      $0.secrets = secrets
      $0.stamp = fresh
    }
    return secrets
  }

  private static func readOrMake(_ file: URL) throws -> (Secrets, Stamp?) {
    var info = stat()
    if lstat(file.path, &info) == 0 {
      guard info.st_mode & S_IFMT == S_IFREG, info.st_uid == getuid() else {
        throw ServerError.accessUnreadable(path: file.path, reason: "it is not a file of your own")
      }
      if info.st_mode & 0o077 == 0 {
        do {
          let stored = try JSON.decode(Secrets.self, from: Data(contentsOf: file))
          guard stored.token.utf8.count >= 32, stored.session.utf8.count >= 32 else {
            throw ServerError.accessUnreadable(path: file.path, reason: "its secrets are too short")
          }
          return (stored, stamp(of: file))
        } catch let error as ServerError { throw error } catch {
          throw ServerError.accessUnreadable(path: file.path, reason: "it is not what LiberaGPT wrote")
        }
      }
      // Others could read it, so its secrets are no longer any: new ones take their place below.
    }
    let made = fresh()
    try write(made, to: file)
    return (made, stamp(of: file))
  }

  private static func write(_ secrets: Secrets, to file: URL) throws {
    let data = try JSON.encode(secrets)
    let draft = file.path + ".new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ServerError.accessUnreadable(path: file.path, reason: String(cString: strerror(errno)))
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    try handle.synchronize()
    try handle.close()
    guard rename(draft, file.path) == 0 else {
      throw ServerError.accessUnreadable(path: file.path, reason: String(cString: strerror(errno)))
    }
  }

  private static func stamp(of file: URL) -> Stamp? {
    var info = stat()
    guard stat(file.path, &info) == 0 else { return nil }
    #if os(Linux)
      let time = info.st_mtim
    #else
      let time = info.st_mtimespec
    #endif
    return Stamp(inode: UInt64(info.st_ino), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
  }

  private static func fresh() -> Secrets { Secrets(token: secret(), session: secret()) }

  /// 256 bits from the system's generator.
  private static func secret() -> String {
    var source = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(source.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Takes as long for a near miss as for a far one.
  private static func same(_ one: String, _ other: String) -> Bool {
    let left = Array(one.utf8)
    let right = Array(other.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
