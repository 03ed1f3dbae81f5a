import Core

/// Why the server did not start or refused a request. `status` is what an HTTP client sees.
package enum ServerError: Explained, Equatable {
  case portsTaken(first: UInt16, last: UInt16)
  case notListening(String)
  case pageMissing
  /// What in the page's modules cannot be joined.
  case pageBroken(String)
  case foreignHost
  case foreignOrigin
  case badTarget
  case noToken
  case codeSpent
  case sessionOver
  case ambiguous(String)
  case notFound(String)
  case wrongMethod(allowed: [String])
  case notJSON
  case unreadable(String)
  /// More text than a model can take at once.
  case contextLength(String)
  /// The worker's own words for what it could not follow.
  case refused(String)
  case tooLarge(limit: Int)
  case unknownRun(String)
  case busy(limit: Int)
  /// What a program was told waits to be taken.
  case untaken(limit: Int)
  case badRunID
  case uploadFailed(String)
  case unknownUpload(String)
  case unknownModel(String)
  /// An answer that is to be gone on with.
  case unknownResponse(String)
  case unknownPack(String)
  case unsupported(String)

  package var status: Int {
    switch self {
    case .portsTaken, .notListening, .pageMissing, .pageBroken: 500
    case .foreignHost: 421
    case .foreignOrigin: 403
    case .noToken, .codeSpent, .sessionOver: 401
    case .notFound, .unknownRun, .unknownUpload, .unknownModel, .unknownPack: 404
    case .wrongMethod: 405
    case .notJSON: 415
    case .badTarget, .ambiguous, .unreadable, .contextLength, .refused, .badRunID, .unsupported, .unknownResponse: 400
    case .tooLarge: 413
    case .busy, .untaken: 429
    case .uploadFailed: 507
    }
  }

  package var code: String {
    switch self {
    case .portsTaken: "ports_taken"
    case .notListening: "not_listening"
    case .pageMissing: "page_missing"
    case .pageBroken: "page_broken"
    case .foreignHost: "foreign_host"
    case .foreignOrigin: "foreign_origin"
    case .badTarget: "bad_target"
    case .noToken: "no_token"
    case .codeSpent: "code_spent"
    case .sessionOver: "session_over"
    case .ambiguous: "ambiguous_head"
    case .notFound: "not_found"
    case .wrongMethod: "wrong_method"
    case .notJSON: "not_json"
    case .unreadable, .refused: "input_unreadable"
    case .contextLength: "context_length_exceeded"
    case .tooLarge: "too_large"
    case .unknownRun: "unknown_operation"
    case .busy, .untaken: "busy"
    case .badRunID: "bad_operation_id"
    case .uploadFailed: "upload_failed"
    case .unknownUpload: "unknown_upload"
    case .unknownModel: "model_not_found"
    case .unknownPack: "unknown_pack"
    case .unknownResponse: "previous_response_not_found"
    case .unsupported: "unsupported"
    }
  }

  package var message: String {
    switch self {
    case .portsTaken(let first, let last): "No port from \(first) to \(last) is free on this device's loopback."
    case .notListening(let reason): "The server could not start: \(reason)."
    case .pageMissing: "The folder Web with the page was not found beside the program."
    case .pageBroken(let what): "The page's modules cannot be joined: \(what)."
    case .foreignHost: "This server answers only under its own loopback address."
    case .foreignOrigin: "Requests from other pages are refused."
    case .badTarget: "The request line does not name a path."
    case .noToken: "This route needs a key or a session."
    case .codeSpent: "This link was used already or is too old."
    case .sessionOver: "This browser is not let in any more."
    case .ambiguous(let what): "The head of this request can be read in two ways: \(what)."
    case .notFound(let path): "There is nothing at \(path)."
    case .wrongMethod(let allowed): "This route takes \(allowed.joined(separator: ", "))."
    case .notJSON: "The body must be sent as application/json."
    case .unreadable(let detail): "The input could not be read: \(detail)."
    case .contextLength(let detail): "The request is too long for the model: \(detail)."
    case .refused(let why): why
    case .tooLarge(let limit): "The body is larger than the \(limit) bytes this route takes."
    case .unknownRun(let id): "No operation with the id \(id) is known."
    case .busy(let limit): "\(limit) operations are running already."
    case .untaken(let limit): "More than \(limit >> 20) MB of answers would wait to be taken."
    case .badRunID: "An operation id is 8 to 64 letters, digits or hyphens, and nobody else's."
    case .uploadFailed(let reason): "The file could not be taken in: \(reason)."
    case .unknownModel(let id): "No installed model is called \(id)."
    case .unknownPack(let id): "The catalogue has no pack \(id)."
    case .unknownResponse(let id): "No answer with the id \(id.prefix(80)) is here to go on with."
    case .unsupported(let what): "This server does not do \(what)."
    case .unknownUpload(let id): "No uploaded file with the id \(id) is here."
    }
  }

  package var remedy: String? {
    switch self {
    case .portsTaken: "Close the program that holds them or choose another port with --port."
    case .notListening: "See the log in diagnostics."
    case .pageMissing: "Build LiberaGPT again, or put the folder Web where the program was installed."
    case .pageBroken:
      "Install the program again; who changed the page finds the form of imports and exports in CONTRIBUTING.md."
    case .foreignHost: "Open the address that `libera serve` printed."
    case .foreignOrigin: "Open the address in a new tab, or call the API without an Origin."
    case .noToken:
      "Send \"Authorization: Bearer KEY\"; `libera keys add` makes one. In a browser, run `libera serve` again."
    case .codeSpent, .sessionOver: "Run `libera serve` again to get a fresh link."
    case .notJSON: "Set Content-Type to application/json."
    case .busy: "Wait for one to end or cancel one."
    case .untaken: "Take what has been told before, and ask for less at once."
    case .uploadFailed: "Make room, on the disk or among what waits, and try again; nothing was kept."
    case .unknownUpload: "Upload it again."
    case .unknownModel: "GET /v1/models lists them; `libera packs pull` fetches one."
    case .unknownPack: "`libera packs list` names those there are."
    case .unknownResponse:
      "Send the conversation as the input: the last answers alone are kept, until the program ends."
    case .unsupported: "Leave it out of the request."
    case .notFound: "GET /api lists the operations; docs/openapi.json describes every route."
    case .contextLength: "Send fewer or shorter messages, or allow a shorter answer."
    case .unreadable, .refused: "docs/api.md and docs/cli.md say what each operation takes."
    case .tooLarge: "Send less at once; files of any size are taken by `libera import PATH`."
    case .unknownRun: "It ended long ago, or before a restart. GET /api/operations lists those that are known."
    case .badTarget, .ambiguous, .wrongMethod, .badRunID: nil
    }
  }
}
