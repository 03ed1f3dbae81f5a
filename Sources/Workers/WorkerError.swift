import Core

/// What can go wrong between the processes of one house.
package enum WorkerError: Explained {
  case programMissing([String])
  case notStarted(program: String, reason: String)
  case version(ours: UInt16, theirs: UInt16)
  case malformed(String)
  case tooLarge(Int)
  case died(kind: String, ExitReason, lastWords: String)
  case stopped(kind: String)
  /// A call went on although it had been cancelled, so the worker was ended.
  case unresponsive(kind: String, operation: String, seconds: Int)
  /// It ended itself over another call.
  case gaveUp(kind: String, reason: String)
  /// It held more memory than it was allowed, so it was ended.
  case tooMuchMemory(kind: String, held: UInt64, allowed: UInt64)
  /// A call took longer than it was allowed to.
  case overdue(kind: String, operation: String, seconds: Int)
  /// An engine in this program that did not stop when it was told to: it goes on, and nobody waits for it.
  case abandoned(kind: String)
  case flooded
  /// More than what was asked can come to.
  case toldTooMuch(kind: String, operation: String)
  case noEngine(String)
  case unknownOperation(String)
  case badRequest(String)
  case offline(String)
  /// Offline was set while it ran.
  case cutOff(String)
  case noMailProgram
  case socket(String)
  case dataFolder(String)
  case ownerGone
  case stranger(Int)

  /// Whether a worker was ended over another call than the one that ended with this error, which may be asked of a fresh one.
  package static func isOverAnother(_ error: any Error) -> Bool {
    switch error {
    case WorkerError.unresponsive, WorkerError.gaveUp: true
    default: false
    }
  }

  package var code: String {
    switch self {
    case .programMissing: "worker_missing"
    case .notStarted: "worker_not_started"
    case .version: "worker_version"
    case .malformed: "worker_protocol"
    case .tooLarge: "message_too_large"
    case .died: "worker_died"
    case .stopped: "worker_stopped"
    case .unresponsive: "worker_unresponsive"
    case .overdue: "worker_overdue"
    case .tooMuchMemory: "worker_memory"
    case .gaveUp: "worker_died"
    case .abandoned: "engine_abandoned"
    case .flooded, .toldTooMuch: "worker_flooded"
    case .noEngine: "no_engine"
    case .unknownOperation: "unknown_operation"
    case .badRequest: "bad_request"
    case .offline, .cutOff: "offline"
    case .noMailProgram: "mail_program_missing"
    case .socket: "socket"
    case .dataFolder: "data_folder"
    case .ownerGone: "owner_gone"
    case .stranger: "stranger"
    }
  }

  package var message: String {
    switch self {
    case .programMissing(let places): "The program libera-worker was not found in \(places.joined(separator: ", "))."
    case .notStarted(let program, let reason): "\(program) could not be started: \(reason)."
    case .version(let ours, let theirs): "The other process speaks protocol \(theirs), this one \(ours)."
    case .malformed(let what): "The other process sent \(what)."
    case .tooLarge(let bytes): "A message of \(bytes) bytes is larger than the \(WireFrame.mostBytes) that fit in one."
    case .died(let kind, let reason, let lastWords):
      "The \(kind) worker ended: \(reason)." + (lastWords.isEmpty ? "" : " It last said: \(lastWords)")
    case .stopped(let kind): "The \(kind) worker was stopped."
    case .unresponsive(let kind, let operation, let seconds):
      "The \(kind) worker was ended: it went on with \"\(operation)\" for \(seconds) s after that was cancelled."
    case .gaveUp(let kind, let reason): "The \(kind) worker ended over another request. \(reason)"
    case .tooMuchMemory(let kind, let held, let allowed):
      "The \(kind) worker was ended: it held \(held >> 20) MB of memory; \(allowed >> 20) MB are allowed."
    case .overdue(let kind, let operation, let seconds):
      "The \(kind) worker was given \(seconds) s for \"\(operation)\" and was not done."
    case .abandoned(let kind):
      "The \(kind) engine did not stop when it was told to. It goes on beside the next one, with its memory, until it comes back."
    case .flooded: "The other process sent more than was read and was cut off."
    case .toldTooMuch(let kind, let operation):
      "The \(kind) worker was ended: it told more of \"\(operation)\" than was asked."
    case .noEngine(let kind): "This build has no \(kind) engine."
    case .unknownOperation(let name): "There is no operation named \(name)."
    case .badRequest(let what): "The request cannot be read: \(what)."
    case .offline(let what): "Offline is set: \(what) is not started."
    case .cutOff(let what): "Offline was set: \(what) was ended."
    case .noMailProgram: "No program that sends mail is permitted."
    case .socket(let reason): "The connection between two processes failed: \(reason)."
    case .dataFolder(let reason): "The data folder cannot be used: \(reason)."
    case .ownerGone: "The process that held the data folder ended before it had answered."
    case .stranger(let user): "User \(user) may not talk to this data folder."
    }
  }

  package var remedy: String? {
    switch self {
    case .programMissing, .version, .noEngine:
      "Install the program again; in a checkout build all of it with ./libera build."
    case .died, .flooded, .toldTooMuch, .unresponsive, .gaveUp, .abandoned:
      "Try again: the next request starts a fresh one."
    case .dataFolder: "Give another one with --home, or see who may write there and whether there is room."
    case .ownerGone: "Try again."
    case .noMailProgram: "Name one in a terminal: libera settings set sendmail \"/usr/bin/msmtp -t\""
    case .offline, .cutOff: "To allow it again, type: libera settings set offline false"
    default: nil
    }
  }
}
