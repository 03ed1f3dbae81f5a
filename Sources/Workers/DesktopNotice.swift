#if os(Linux)
  import CLinux
  import Core
  import Foundation

  /// A notification by the desktop's own service, asked over the session bus: what it says stands on no command line, where other
  /// users of the machine could read it.
  struct DesktopNotice {
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)
    private static let mostBytes = 1 << 20

    static func show(title: String, text: String, environment: [String: String]) throws {
      let bus = try DesktopNotice(environment)
      defer { close(bus.socket) }
      try bus.introduce()
      try bus.call(
        1, "Hello", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus", "", BusValues())
      var values = BusValues()
      values.text("Libera")  // who tells it
      values.number(0)  // it replaces none
      values.text("")  // no icon
      values.text(title)
      values.text(text)
      values.number(0)  // no buttons
      values.number(0)  // no hints; their list begins at a multiple of eight, where we are
      values.align(8)
      values.number(UInt32(bitPattern: -1))  // shown for as long as the desktop likes
      try bus.call(
        2, "Notify", of: "org.freedesktop.Notifications", at: "/org/freedesktop/Notifications",
        "org.freedesktop.Notifications", "susssasa{sv}i", values)
    }

    private let socket: CInt

    private init(_ environment: [String: String]) throws {
      guard let path = Self.path(environment) else { throw Self.failure("there is no session bus") }
      let place = URL(filePath: path)
      let folder = open(place.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { throw Self.failure(systemReason()) }
      defer { close(folder) }
      socket = libera_connect(folder, place.lastPathComponent)
      guard socket >= 0 else { throw Self.failure(systemReason()) }
      var (user, process) = (uid_t(), pid_t())
      var patience = Self.patience
      let size = socklen_t(MemoryLayout<timeval>.size)
      guard libera_peer(socket, &user, &process) == 0, user == geteuid() || user == 0,
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size) == 0,
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, size) == 0
      else {
        close(socket)
        throw Self.failure("the session bus is somebody else's")
      }
    }

    /// Of the addresses that the environment gives, the first that is a socket in a folder.
    static func path(_ environment: [String: String]) -> String? {
      guard let addresses = environment["DBUS_SESSION_BUS_ADDRESS"] else {
        return environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
      }
      for address in addresses.split(separator: ";") where address.hasPrefix("unix:") {
        for pair in address.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
          return String(pair.dropFirst("path=".count)).removingPercentEncoding
        }
      }
      return nil
    }

    /// The bus learns from the kernel who we are; the words only say that it may.
    private func introduce() throws {
      let user = "\(geteuid())".utf8.hex
      try write(Data("\0AUTH EXTERNAL \(user)\r\n".utf8))
      var answer = Data()
      while answer.last != UInt8(ascii: "\n"), answer.count < 500 { answer += try read(1) }
      guard answer.starts(with: Data("OK ".utf8)) else { throw Self.failure("the session bus lets nobody in") }
      try write(Data("BEGIN\r\n".utf8))
    }

    /// Waits for the answer, past whatever else the bus has to say.
    private func call(
      _ serial: UInt32, _ member: String, of interface: String, at path: String, _ destination: String,
      _ signature: String,
      _ body: BusValues
    ) throws {
      var message = BusValues()
      message.bytes = Data([UInt8(ascii: "l"), 1, 0, 1])  // little-endian, a call
      message.number(UInt32(body.bytes.count))
      message.number(serial)
      var fields = BusValues()
      for (code, type, value) in [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)] {
        fields.field(UInt8(code), type, value)
      }
      if !signature.isEmpty { fields.field(8, "g", signature) }
      message.number(UInt32(fields.bytes.count))
      message.bytes += fields.bytes
      message.align(8)
      try write(message.bytes + body.bytes)
      while true {
        let head = try read(16)
        func number(_ at: Int, _ data: Data) -> Int { (0..<4).reduce(0) { $0 | Int(data[at + $1]) << (8 * $1) } }
        let (length, fieldBytes) = (number(4, head), number(12, head))
        guard head[0] == UInt8(ascii: "l"), length <= Self.mostBytes, fieldBytes <= Self.mostBytes else {
          throw Self.failure("the session bus cannot be understood")
        }
        let rest = try read((fieldBytes + 7) & ~7 + length)
        // The field that says which call is answered: its code, the type "u", the number.
        let answered = rest.range(of: Data([5, 1, UInt8(ascii: "u"), 0]), in: 0..<fieldBytes).map {
          number($0.upperBound, rest)
        }
        guard answered == Int(serial) else { continue }
        if head[1] == 2 { return }
        if head[1] == 3 { throw Self.failure("the desktop shows none") }
      }
    }

    private func write(_ data: Data) throws {
      var left = data
      while !left.isEmpty {
        let count = left.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { throw Self.failure("the session bus does not listen") }
        left = Data(left.dropFirst(count))
      }
    }

    private func read(_ count: Int) throws -> Data {
      var data = Data(count: count)
      var done = 0
      while done < count {
        let got = data.withUnsafeMutableBytes { recv(socket, $0.baseAddress?.advanced(by: done), count - done, 0) }
        guard got > 0 else { throw Self.failure("the session bus does not answer") }
        done += got
      }
      return data
    }

    private static func failure(_ reason: String) -> WorkerError {
      .notStarted(program: "the desktop's notification", reason: reason)
    }
  }

  /// Values as the bus wants them, little-endian, each at a multiple of its size.
  private struct BusValues {
    var bytes = Data()

    mutating func align(_ size: Int) { while bytes.count % size != 0 { bytes.append(0) } }

    mutating func number(_ value: UInt32) {
      align(4)
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func text(_ value: String) {
      number(UInt32(value.utf8.count))
      bytes += Data(value.utf8)
      bytes.append(0)
    }

    /// A field of a message's head: its code, its type, its value.
    mutating func field(_ code: UInt8, _ type: String, _ value: String) {
      align(8)
      bytes += Data([code, 1]) + Data(type.utf8) + [0]
      guard type == "g" else { return text(value) }
      bytes.append(UInt8(value.utf8.count))
      bytes += Data(value.utf8)
      bytes.append(0)
    }
  }
#endif
