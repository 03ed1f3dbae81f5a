import Foundation

/// The messages of a server-sent event stream, in whatever pieces they come.
struct EventStream {
  struct TooLong: Error {}

  private let longest: Int
  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var endedByReturn = false

  init(longest: Int) { self.longest = longest }

  /// The data of the events that are whole now.
  mutating func add(_ bytes: some Sequence<UInt8>) throws -> [Data] {
    var events: [Data] = []
    for byte in bytes {
      defer { endedByReturn = byte == UInt8(ascii: "\r") }
      switch byte {
      // A return with a newline ends one line.
      case UInt8(ascii: "\n") where endedByReturn: continue
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): events += try endLine()
      default:
        guard line.count < longest else { throw TooLong() }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() throws -> [Data] {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer { data = nil }
      return data.map { [Data($0)] } ?? []
    }
    let name = Array("data".utf8)
    // Comments, names and numbers of events tell nothing here.
    guard line.starts(with: name), line.count == name.count || line[name.count] == UInt8(ascii: ":") else { return [] }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    guard (data?.count ?? 0) + value.count < longest else { throw TooLong() }
    // In place: an event may have millions of lines.
    if data == nil {
      data = Array(value)
    } else {
      data?.append(UInt8(ascii: "\n"))
      data?.append(contentsOf: value)
    }
    return []
  }
}
