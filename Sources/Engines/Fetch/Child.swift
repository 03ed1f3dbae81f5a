import Foundation
import Models
import Workers

/// A program run to its end, in a group of its own so that a cancel reaches its children too.
struct Child {
  private let process: pid_t
  private let out: CInt
  private let notes: CInt

  /// More than this is not kept; a script that says so much is read on and ignored.
  private static let longest = 1 << 20

  init(_ program: String, _ arguments: [String]) throws {
    let outs = try Self.pipe()
    let errors = try Self.pipe()
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, outs.write, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var child = pid_t()
    let failure = posix_spawn(&child, program, &actions, &attributes, &words, environ)
    close(outs.write)
    close(errors.write)
    guard failure == 0 else {
      close(outs.read)
      close(errors.read)
      throw PackError.script(name: program, detail: String(cString: strerror(failure)))
    }
    (process, out, notes) = (child, outs.read, errors.read)
  }

  func wait(_ cancelled: CancelFlag) throws -> (status: CInt, out: String, notes: String) {
    var texts = [Data(), Data()]
    var open = [true, true]
    var stopped = false
    var status: CInt = 0
    var ended = false
    while open.contains(true) {
      if cancelled.isSet, !stopped {
        kill(-process, SIGKILL)
        stopped = true
      }
      var polled = [out, notes].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      for index in 0..<2 where !open[index] { polled[index].fd = -1 }
      guard poll(&polled, 2, 50) > 0 else {
        // Something the child left running may hold its ends of the pipes open; that is not waited for.
        if ended { break }
        ended = waitpid(process, &status, WNOHANG) == process
        continue
      }
      for index in 0..<2 where polled[index].revents != 0 {
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        let count = read(polled[index].fd, &piece, piece.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 {
          open[index] = false
        } else if texts[index].count < Self.longest {
          texts[index].append(contentsOf: piece[..<count])
        }
      }
    }
    close(out)
    close(notes)
    while !ended, waitpid(process, &status, 0) < 0, errno == EINTR {}
    if stopped || cancelled.isSet { throw CancellationError() }
    let signal = status & 0x7F
    return (
      signal == 0 ? (status >> 8) & 0xFF : 128 + signal, String(decoding: texts[0], as: UTF8.self),
      String(decoding: texts[1], as: UTF8.self)
    )
  }

  private static func pipe() throws -> (read: CInt, write: CInt) {
    var ends: [CInt] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else {
      throw PackError.script(name: "pipe", detail: String(cString: strerror(errno)))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
