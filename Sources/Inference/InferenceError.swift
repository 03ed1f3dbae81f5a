import Core

/// What can go wrong on the near side of the text workers.
package enum InferenceError: Explained {
  case packUnreadable(path: String, reason: String)

  package var code: String {
    switch self {
    case .packUnreadable: "pack_unreadable"
    }
  }

  package var message: String {
    switch self {
    case .packUnreadable(let path, let reason): "The pack file \(path) cannot be opened: \(reason)."
    }
  }

  package var remedy: String? {
    switch self {
    case .packUnreadable: "See what is installed with libera packs list, or verify it with libera packs verify."
    }
  }
}
