package import Foundation

/// Bytes through open files, pipes and sockets: what a signal interrupts is done again, and what goes in part goes on.
package enum Descriptor {
  /// All of the bytes; where this is false, `errno` says why.
  package static func write(_ bytes: some ContiguousBytes, to descriptor: CInt) -> Bool {
    all(of: bytes) { Foundation.write(descriptor, $0.baseAddress, $0.count) }
  }

  /// The same into a file from a place on, which leaves its offset where it is.
  package static func write(_ bytes: some ContiguousBytes, to descriptor: CInt, at place: Int) -> Bool {
    all(of: bytes) { rest in
      pwrite(descriptor, rest.baseAddress, rest.count, off_t(place + bytes.withUnsafeBytes(\.count) - rest.count))
    }
  }

  /// The same into a socket.
  package static func send(_ bytes: some ContiguousBytes, to socket: CInt, _ flags: CInt = 0) -> Bool {
    all(of: bytes) { Foundation.send(socket, $0.baseAddress, $0.count, flags) }
  }

  private static func all(of bytes: some ContiguousBytes, _ put: (UnsafeRawBufferPointer) -> Int) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = put(rest)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }

  /// What is there, at most as much as the buffer holds: none at the end; negative where `errno` says why.
  package static func read(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    again { Foundation.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// From a place of a file on, as much as the buffer holds and the file has; negative where `errno` says why.
  package static func read(_ file: CInt, at place: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    while done < buffer.count {
      let count = again { pread(file, buffer.baseAddress! + done, buffer.count - done, off_t(place + done)) }
      guard count >= 0 else { return count }
      if count == 0 { break }
      done += count
    }
    return done
  }

  private static func again(_ call: () -> Int) -> Int {
    while true {
      let count = call()
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// How long the regular file is that a descriptor stands for; nil where it stands for anything else.
  package static func fileBytes(_ descriptor: CInt) -> Int? {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }
}

/// What the system says of a failure, as `errno` names it.
package func systemReason(_ code: CInt = errno) -> String { String(cString: strerror(code)) }
