import Core

/// What can go wrong on the near side of the text workers.
package enum InferenceError: Explained {
  case packUnreadable(path: String, reason: String)
  case stateUnwritable(path: String)
  case stateUnreadable(path: String)

  package var code: String {
    switch self {
    case .packUnreadable: "pack_unreadable"
    case .stateUnwritable: "state_unwritable"
    case .stateUnreadable: "state_unreadable"
    }
  }

  package var message: String {
    switch self {
    case .packUnreadable(let path, let reason): "The pack file \(path) cannot be opened: \(reason)."
    case .stateUnwritable(let path): "The saved state \(path) cannot be written."
    case .stateUnreadable(let path): "The saved state \(path) cannot be opened."
    }
  }

  package var remedy: String? {
    switch self {
    case .packUnreadable: "See what is installed with libera packs list, or verify it with libera packs verify."
    case .stateUnwritable: "See whether the cache folder has room and can be written to."
    case .stateUnreadable: "The prompt is evaluated anew; nothing is lost."
    }
  }
}
