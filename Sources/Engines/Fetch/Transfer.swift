import CCurl
import Core
import Foundation
import Models
import Workers

/// One request over curl, without following redirects by itself: each hop is looked at first.
/// The callbacks run inside `run` on the calling thread, so nothing here is shared.
final class Transfer {
  struct Answer {
    var status = 0
    var fields: [String: String] = [:]
    subscript(_ field: String) -> String? { fields[field] }
  }

  enum End {
    case complete
    case redirect(String)
  }

  private let handle: OpaquePointer
  private let cancelled: CancelFlag
  private(set) var answer = Answer()
  /// Called once with the head of a final answer before its body; throws to refuse it.
  var begin: (Answer) throws -> Void = { _ in }
  var body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  /// What is sent; without it the request only asks.
  var posts: Data?
  /// The most that the whole may take.
  var seconds = 0
  /// Fewer bytes a second than this, for as long as one is patient, count as nothing.
  var slowest = 1000
  /// Who is trusted instead of those whom the system trusts, as PEM.
  var authority: String?
  /// Statuses that are answers as well, with their bodies.
  var takes: (Int) -> Bool = { _ in false }
  private var begun = false
  /// Bytes of this answer that are not asked for: its head, and the bodies of redirects and refusals.
  private var beside = 0
  private static let mostBeside = 1 << 20
  private var failure: (any Error)?

  init(cancelled: CancelFlag) throws {
    guard let made = curl_easy_init() else { throw PackError.network("curl cannot start") }
    handle = OpaquePointer(made)
    self.cancelled = cancelled
  }

  deinit { curl_easy_cleanup(raw) }

  private var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

  /// The headers of a request for `url`, without its body.
  static func ask(_ url: String, cancelled: CancelFlag) throws -> Answer {
    let transfer = try Transfer(cancelled: cancelled)
    _ = try transfer.run(url, headers: [], patience: 30, headOnly: true)
    return transfer.answer
  }

  private static let redirects = 5

  struct Page {
    var text: String
    /// Where it was in the end; what it names is meant from there.
    var address: String
  }

  /// A short text whole, wherever it is by now.
  static func read(
    _ url: String, accept: String = "text/html, */*;q=0.9", most: Int, cancelled: CancelFlag
  ) throws -> Page {
    let transfer = try Transfer(cancelled: cancelled)
    var body = Data()
    transfer.body = { piece in
      guard body.count + piece.count <= most else { throw PackError.network("\(url) sends more than \(most >> 20) MB") }
      body.append(contentsOf: piece)
    }
    let end = try transfer.follow(url, headers: ["Accept: \(accept)"], patience: 30)
    return Page(text: String(decoding: body, as: UTF8.self), address: end)
  }

  /// How long a file is, wherever it is by now; nothing more of it is read than its beginning.
  static func length(_ url: String, cancelled: CancelFlag) throws -> Int64? {
    struct Seen: Error {}
    let transfer = try Transfer(cancelled: cancelled)
    transfer.begin = { _ in throw Seen() }
    do { try transfer.follow(url, headers: [], patience: 30) } catch is Seen {}
    return transfer.answer["content-length"].flatMap { Int64($0) }
  }

  /// As `run`, going where the server sends it; returns where that was.
  @discardableResult
  func follow(_ url: String, headers: [String], patience: Int) throws -> String {
    var target = url
    for _ in 0...Self.redirects {
      switch try run(target, headers: headers, patience: patience) {
      case .complete: return target
      case .redirect(let next):
        // To http, which only this machine's own servers speak, nothing leads but the same one.
        guard next.hasPrefix("https:") || WebAddress.sameServer(target, next) else { throw PackError.insecure(next) }
        target = next
      }
    }
    throw PackError.redirects(url)
  }

  /// Where this system keeps the certificates it trusts, unless the person names another file. The library itself knows only the
  /// place where the system has them that it was built on; nil leaves it at that.
  private static let trusted: String? = {
    if let named = Spawner.authorities() { return named }
    #if os(Linux)
      let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
      ]
      return places.first { access($0, R_OK) == 0 }
    #else
      return nil
    #endif
  }()

  func run(_ url: String, headers: [String], patience: Int, headOnly: Bool = false) throws -> End {
    guard WebAddress.isAllowed(url) else { throw PackError.insecure(url) }
    (answer, begun, beside, failure) = (Answer(), false, 0, nil)
    var list: UnsafeMutablePointer<curl_slist>?
    for header in headers { list = curl_slist_append(list, header) }
    defer { curl_slist_free_all(list) }
    let me = Unmanaged.passUnretained(self).toOpaque()
    _ = libera_curl_set_text(raw, CURLOPT_URL, url)
    _ = libera_curl_set_list(raw, CURLOPT_HTTPHEADER, list)
    _ = libera_curl_set_long(raw, CURLOPT_FOLLOWLOCATION, 0)
    _ = libera_curl_set_long(raw, CURLOPT_NOBODY, headOnly ? 1 : 0)
    _ = libera_curl_set_long(raw, CURLOPT_TIMEOUT, seconds)
    if let posts {
      _ = libera_curl_set_long(raw, CURLOPT_POSTFIELDSIZE, posts.count)
      posts.withUnsafeBytes {
        _ = libera_curl_set_pointer(raw, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
      }
    }
    _ = libera_curl_set_long(raw, CURLOPT_SSL_VERIFYPEER, 1)
    _ = libera_curl_set_long(raw, CURLOPT_SSL_VERIFYHOST, 2)
    try setTrusted()
    _ = libera_curl_set_long(raw, CURLOPT_NOSIGNAL, 1)
    _ = libera_curl_set_long(raw, CURLOPT_NOPROGRESS, 0)
    _ = libera_curl_set_long(raw, CURLOPT_CONNECTTIMEOUT, 30)
    _ = libera_curl_set_long(raw, CURLOPT_LOW_SPEED_LIMIT, slowest)
    _ = libera_curl_set_long(raw, CURLOPT_LOW_SPEED_TIME, patience)
    _ = libera_curl_set_long(raw, CURLOPT_BUFFERSIZE, 256 << 10)
    _ = libera_curl_set_long(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    _ = libera_curl_set_text(raw, CURLOPT_USERAGENT, "libera")
    _ = libera_curl_set_data(raw, CURLOPT_HEADERFUNCTION, receiveHeader)
    _ = libera_curl_set_pointer(raw, CURLOPT_HEADERDATA, me)
    _ = libera_curl_set_data(raw, CURLOPT_WRITEFUNCTION, receiveBody)
    _ = libera_curl_set_pointer(raw, CURLOPT_WRITEDATA, me)
    _ = libera_curl_set_progress(raw, checkProgress)
    _ = libera_curl_set_pointer(raw, CURLOPT_XFERINFODATA, me)
    // What exactly went wrong, which the number alone does not tell.
    var words = [CChar](repeating: 0, count: 256)
    let result = words.withUnsafeMutableBytes { words in
      _ = libera_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, words.baseAddress)
      defer { _ = libera_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, nil) }
      return curl_easy_perform(raw)
    }
    if cancelled.isSet { throw CancellationError() }
    if let failure { throw failure }
    try check(result, url, String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    if !headOnly, (300..<400).contains(answer.status), let target = libera_curl_get_text(raw, CURLINFO_REDIRECT_URL) {
      return .redirect(String(cString: target))
    }
    try checkStatus(url, headOnly)
    // An answer without a body still has a head that must be judged.
    if !headOnly, !begun { try begin(answer) }
    return .complete
  }

  private func setTrusted() throws {
    if let authority {
      let bytes = Array(authority.utf8)
      guard libera_curl_set_bytes(raw, CURLOPT_CAINFO_BLOB, bytes, bytes.count) == CURLE_OK else {
        throw PackError.network("curl cannot be told whom to trust")
      }
      // Otherwise those of the system were trusted as well.
      _ = libera_curl_set_text(raw, CURLOPT_CAPATH, nil)
    } else if let trusted = Self.trusted {
      _ = libera_curl_set_text(raw, CURLOPT_CAINFO, trusted)
    }
  }

  private func check(_ result: CURLcode, _ url: String, _ words: String) throws {
    switch result {
    case CURLE_OK: return
    case CURLE_PARTIAL_FILE: throw PackError.truncated("the connection closed before the announced end")
    case CURLE_OPERATION_TIMEDOUT: throw PackError.stalled(url)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
      let reason = words.isEmpty ? String(cString: curl_easy_strerror(result)) : words
      throw PackError.certificate(URLComponents(string: url)?.host ?? url, reason)
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY:
      throw PackError.unreachable(URLComponents(string: url)?.host ?? url)
    default: throw PackError.network("\(url): \(String(cString: curl_easy_strerror(result)))")
    }
  }

  private func checkStatus(_ url: String, _ headOnly: Bool) throws {
    switch answer.status {
    case 200, 206, 416: return
    case 300..<400 where headOnly: return
    case let status where takes(status): return
    case 408, 425, 429, 500...599: throw PackError.serverBusy(answer.status, url)
    default: throw PackError.status(answer.status, url)
    }
  }

  // MARK: What curl calls

  private func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
    beside += bytes.count
    if beside > Self.mostBeside { failure = PackError.network("an answer has more around it than any needs") }
    return failure == nil
  }

  fileprivate func header(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard fits(bytes) else { return false }
    let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if line.hasPrefix("HTTP/") {
      // A new head begins: what a proxy or an interim answer said before no longer counts.
      answer = Answer()
      let words = line.split(separator: " ")
      answer.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    } else if let colon = line.firstIndex(of: ":"), answer.fields.count < 200 {
      answer.fields[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
    return true
  }

  fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Bodies of redirects and errors are not ours.
    guard answer.status == 200 || answer.status == 206 || takes(answer.status) else { return fits(bytes) }
    do {
      if !begun {
        begun = true
        try begin(answer)
      }
      try body(bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  fileprivate var isCancelled: Bool { cancelled.isSet }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
  context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let taken = transfer(context)?.header(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? false
  return taken ? size * count : 0
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let taken = transfer(context)?.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? false
  // Fewer bytes than offered make curl stop.
  return taken ? size * count : (size * count == 0 ? 1 : 0)
}

private func checkProgress(
  _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> CInt {
  transfer(context)?.isCancelled == true ? 1 : 0
}
