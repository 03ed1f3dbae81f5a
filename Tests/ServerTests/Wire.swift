import Dispatch
import Foundation
import TestSupport

/// A connection that sends and reads raw bytes, as any client on this device could. Blocking calls run on threads of their
/// own, so that they never hold up the server in the same process.
final class Wire: Sendable {
  let socket: CInt

  init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard Sockets.connect(socket, toPort: port) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED)
    }
  }

  deinit { close(socket) }

  /// Leaves as a closed browser does.
  func hangUp() { shutdown(socket, CInt(SHUT_RDWR)) }

  /// False when the other side has closed.
  @discardableResult
  func send(_ data: Data) -> Bool {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Data(text.utf8)) }

  /// Reads until `enough` says so or the other side closes; holds the thread.
  func receive(until enough: (Data) -> Bool) -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while !enough(all) {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      all.append(contentsOf: buffer[..<count])
    }
    return all
  }

  /// The same on a thread of its own.
  func read(until enough: @escaping @Sendable (Data) -> Bool = { _ in false }) async -> Data {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.receive(until: enough)) }
    }
  }

  func read(until text: String) async -> String {
    let wanted = Data(text.utf8)
    return String(decoding: await read { $0.range(of: wanted) != nil }, as: UTF8.self)
  }

  /// One whole response: with a length, in chunks, or until the close.
  func response(toHead: Bool = false) async -> Answer {
    Answer(await read { Answer($0, toHead: toHead).isWhole })
  }
}

/// What is an object of JSON.
func object(_ text: some StringProtocol) throws -> [String: Any] {
  guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
    throw CocoaError(.coderReadCorrupt)
  }
  return object
}

func object(_ answer: Answer) throws -> [String: Any] { try object(answer.text) }

/// A parsed HTTP response.
struct Answer {
  var status = 0
  var headers: [String: String] = [:]
  var body = Data()
  var isWhole = false

  var text: String { String(decoding: body, as: UTF8.self) }
  /// The code of the error that was told.
  var code: String? { ((try? object(self))?["error"] as? [String: Any])?["code"] as? String }

  init(_ raw: Data, toHead: Bool = false) {
    guard let end = raw.range(of: Data("\r\n\r\n".utf8)) else { return }
    let lines = String(decoding: raw[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    var rest = raw[end.upperBound...]
    if toHead || status == 204 || status == 304 {
      isWhole = true
    } else if headers["transfer-encoding"] == "chunked" {
      while let line = rest.range(of: Data("\r\n".utf8)) {
        let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16) ?? 0
        guard rest.distance(from: line.upperBound, to: rest.endIndex) >= size + 2 else { break }
        body += rest[line.upperBound..<line.upperBound + size]
        rest = rest[(line.upperBound + size + 2)...]
        if size == 0 {
          isWhole = true
          break
        }
      }
    } else {
      body = Data(rest)
      isWhole = headers["content-length"].flatMap { Int($0) }.map { body.count >= $0 } ?? false
    }
  }
}
