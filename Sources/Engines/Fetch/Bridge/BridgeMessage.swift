import Core
import Foundation

/// What the bridge has to know of the messages that it carries.
struct BridgeMessage: Decodable {
  var id: JSONNode?
  var method: String?
  private var params: JSONNode?
  private var result: JSONNode?
  /// The same without the number that the bridge alone may give an error, where the server has given it.
  private(set) var disowned: JSONNode?

  /// The whole is read, also what is not needed here: what is no JSON somewhere within is not told on.
  init(from decoder: any Decoder) throws {
    let node = try JSONNode(from: decoder)
    guard case .object(let fields) = node else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "It is no object."))
    }
    (id, method) = (fields["id"] == .null ? nil : fields["id"], fields["method"]?.text)
    (params, result) = (fields["params"], fields["result"])
    guard case .object(var error)? = fields["error"], error["code"] == .whole(BridgeFailure.code) else { return }
    error["code"] = .whole(0)
    disowned = .object(fields.merging(["error": .object(error)]) { $1 })
  }

  /// Which of our requests is given up by it.
  var cancels: JSONNode? { method == "notifications/cancelled" ? params?["requestId"] : nil }
  /// It wants an answer.
  var isRequest: Bool { method != nil && id != nil }
  /// The version of the protocol that a greeting was answered with.
  var version: String? {
    guard let version = result?["protocolVersion"]?.text, version.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil else {
      return nil
    }
    return version
  }
}

/// How an exchange with the server ended, in words for the person where it brought no answer.
enum BridgeFailure: Error, Equatable {
  case status(Int, String?)
  case leadsAway(String)
  case tooLong
  case noAnswer
  case notJSON
  case session
  case tooMany
  case certificate(String)
  case transfer(String)

  /// By which an answer of the bridge is told from one of the server: ToolMessages knows it too.
  static let code = -32099
  static let longestReason = 300

  var words: String {
    switch self {
    case .status(let status, let said):
      "\(Self.meaning(status)) (status \(status))." + (said.map { " It says: \($0.letters(Self.longestReason))" } ?? "")
    case .leadsAway(let place):
      "it leads on to \(place.letters(Self.longestReason)), where it was not added; nothing was sent there."
    case .tooLong:
      "its answer is longer than \(ToolBridge.longestReply >> 20) MB, or a part of it than \(ToolBridge.longestMessage >> 20) MB."
    case .noAnswer: "its reply ended without an answer."
    case .notJSON: "its reply is neither JSON nor a stream of events."
    case .session: "it has forgotten this session; the next call begins another."
    case .tooMany: "\(ToolBridge.mostAtOnce) requests to it are under way already."
    case .certificate(let reason):
      "its certificate is not trusted (\(reason.letters(Self.longestReason))), and nothing was sent. Where an authority of your own vouches for it: libera tools add with --ca-file."
    case .transfer(let reason): reason
    }
  }

  private static func meaning(_ status: Int) -> String {
    switch status {
    case 401, 403: "it does not accept the key, or wants one: libera tools add with --key-file or --key-env"
    case 404, 405, 406, 410: "no server that speaks the protocol over streamable HTTP answers at this address"
    case 408, 429, 500...599: "it cannot answer now"
    default: "it refuses"
    }
  }
}

/// Where a reply that leads on may be followed to: another place of the same server, with the same request.
enum BridgeRedirect {
  static let most = 3

  static func next(_ status: Int, from address: String, to target: String) throws(BridgeFailure) -> String {
    guard [307, 308].contains(status), WebAddress.sameServer(address, target), WebAddress.isPlain(target)
    else { throw .leadsAway(target) }
    return target
  }
}

/// What the server has said of itself, which every later request repeats.
struct BridgeSession: Equatable {
  private(set) var id: String?
  private(set) var version: String?

  /// Only what can stand in a header line.
  mutating func take(id given: String?) {
    guard let given, (1...512).contains(given.utf8.count), given.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return
    }
    id = given
  }

  mutating func take(version given: String?) { version = given ?? version }

  func headers(key: String?) -> [String] {
    var headers = ["Content-Type: application/json", "Accept: application/json, text/event-stream", "Expect:"]
    if let key { headers.append("Authorization: Bearer \(key)") }
    if let id { headers.append("Mcp-Session-Id: \(id)") }
    if let version { headers.append("MCP-Protocol-Version: \(version)") }
    return headers
  }
}
