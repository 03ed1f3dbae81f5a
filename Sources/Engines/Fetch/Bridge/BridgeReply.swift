import Core
import Foundation

/// What comes back for one request: one message, several, or a stream of them.
final class BridgeReply {
  /// The answer has come, and nothing more of the stream is wanted.
  struct Answered: Error {}

  private enum Form { case nothing, json, events }

  private static let longestError = 65_536

  private let asked: BridgeMessage
  private let heard: (BridgeMessage, Data) throws -> Void
  private var status = 0
  private var form = Form.nothing
  private var body = Data()
  private var stream = EventStream(longest: ToolBridge.longestMessage)
  private var total = 0
  private var isAnswered = false

  /// `heard` is told each message, with its bytes.
  init(_ asked: BridgeMessage, heard: @escaping (BridgeMessage, Data) throws -> Void) {
    (self.asked, self.heard) = (asked, heard)
  }

  func begin(_ answer: Transfer.Answer) {
    status = answer.status
    let type = (answer["content-type"] ?? "").lowercased()
    form = type.hasPrefix("application/json") ? .json : type.hasPrefix("text/event-stream") ? .events : .nothing
  }

  private var isFine: Bool { (200..<300).contains(status) }

  func take(_ bytes: UnsafeRawBufferPointer) throws {
    total += bytes.count
    guard total <= ToolBridge.longestReply else { throw BridgeFailure.tooLong }
    guard isFine else {
      if body.count + bytes.count <= Self.longestError { body.append(contentsOf: bytes) }
      return
    }
    guard form == .events else {
      guard body.count + bytes.count <= ToolBridge.longestMessage else { throw BridgeFailure.tooLong }
      body.append(contentsOf: bytes)
      return
    }
    let events: [Data]
    do { events = try stream.add(bytes) } catch is EventStream.TooLong { throw BridgeFailure.tooLong }
    for event in events { try hear(event) }
    if isAnswered { throw Answered() }
  }

  func end() throws {
    guard isFine else { throw BridgeFailure.status(status, Self.reason(body)) }
    if form == .json {
      // Older versions of the protocol put several messages into a list.
      if body.first(where: { !($0 as UInt8).isSpace }) == UInt8(ascii: "["),
        let list = try? JSON.decode([JSONNode].self, from: body)
      {
        for one in list { try hear(JSON.encode(one)) }
      } else {
        try hear(body)
      }
    }
    guard asked.isRequest, !isAnswered else { return }
    throw form == .nothing && !body.isEmpty ? BridgeFailure.notJSON : .noAnswer
  }

  /// What is no message is left unread.
  private func hear(_ data: Data) throws {
    guard let message = try? JSON.decode(BridgeMessage.self, from: data) else { return }
    if message.method == nil, message.id == asked.id { isAnswered = true }
    try heard(message, message.disowned.map { try JSON.encode($0) } ?? data)
  }

  /// What the server itself says of an error.
  private static func reason(_ body: Data) -> String? {
    guard let node = try? JSON.decode(JSONNode.self, from: body) else { return nil }
    return node["error"]?["message"]?.text ?? node["error"]?.text ?? node["message"]?.text
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
