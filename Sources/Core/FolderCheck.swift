package import Foundation

/// Whether a folder is one that nobody but its owner can change, by itself or by changing the way to it: who may write in it puts
/// in settings, documents and packs of their own, and takes what the owner wrote.
package struct FolderCheck {
  private let user: uid_t
  /// In a namespace of its own a process sees whoever stands outside as this user.
  private let outsider: uid_t?
  private var links = 0

  package init(user: uid_t = geteuid()) {
    self.user = user
    outsider = Self.outsider
  }

  /// Follows the path from its root. What does not exist yet is made by us and needs no check.
  package mutating func check(_ folder: URL) throws {
    var path = "/"
    var rest = ForeignName.parts(folder.standardizedFileURL.path)[...]
    try look(path, isLast: rest.isEmpty)
    while let name = rest.popFirst() {
      if name.isEmpty || name == "." { continue }
      if name == ".." {
        path = (path as NSString).deletingLastPathComponent
        continue
      }
      let next = path == "/" ? "/" + name : path + "/" + name
      var status = stat()
      guard lstat(next, &status) == 0 else { return }
      if status.st_mode & S_IFMT == S_IFLNK {
        guard isTrusted(status) else { throw FolderError.notOwn(next) }
        links += 1
        // More than any way of a person's has; the system itself gives up at as many.
        guard links <= 40 else { throw FolderError.notOwn(next) }
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: next)
        if target.hasPrefix("/") { path = "/" }
        rest = ForeignName.parts(target) + rest
        continue
      }
      try look(next, isLast: rest.isEmpty)
      path = next
    }
  }

  /// The same of all that lies in it, as far as anybody else can come: where a folder lets nobody in, what it holds is out of their
  /// reach. Links lead out of it, and are followed as the way to it is.
  package mutating func check(within folder: URL) throws {
    links = 0
    try check(folder)
    var status = stat()
    guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    let isReached = status.st_mode & (S_IXGRP | S_IXOTH) != 0
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      // Another process of ours has removed it just now.
      return
    }
    for name in names {
      let place = folder.appending(path: name)
      guard lstat(place.path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFLNK {
        links = 0
        try check(place)
      } else if isReached, status.st_mode & S_IFMT == S_IFDIR {
        try check(within: place)
      } else if isReached || status.st_mode & S_IFMT == S_IFDIR {
        try look(place.path, isLast: true)
      }
    }
  }

  private func look(_ path: String, isLast: Bool) throws {
    var status = stat()
    // Of a file it matters as well, where it is what is looked for; sockets are asked who speaks.
    guard lstat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFDIR || isLast && status.st_mode & S_IFMT == S_IFREG
    else { return }
    guard isLast ? status.st_uid == user : isTrusted(status) else { throw FolderError.notOwn(path) }
    // In a folder with the sticky bit, as /tmp, others can put things but not take away or replace what is ours.
    let isSticky = status.st_mode & S_ISVTX != 0 && !isLast
    let isOwnGroup = status.st_gid == user && status.st_uid == user && user != 0 && !isLast
    let isOpen = status.st_mode & S_IWOTH != 0 || status.st_mode & S_IWGRP != 0 && !isOwnGroup
    if isOpen, !isSticky { throw FolderError.writable(path) }
  }

  private func isTrusted(_ status: stat) -> Bool {
    status.st_uid == user || status.st_uid == 0 || status.st_uid == outsider
  }

  private static var outsider: uid_t? {
    #if os(Linux)
      // All of them are mapped, one to one, where there is no such namespace.
      guard let map = FileManager.default.contents(atPath: "/proc/self/uid_map") else { return nil }
      let fields = String(decoding: map, as: UTF8.self).split { $0 == " " || $0 == "\n" }
      if fields == ["0", "0", "4294967295"] { return nil }
      guard let number = FileManager.default.contents(atPath: "/proc/sys/kernel/overflowuid") else { return nil }
      return uid_t(String(decoding: number, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    #else
      return nil
    #endif
  }
}

extension Folders {
  /// Refuses folders that others may write. Before anything is read from them.
  package func check() throws {
    for folder in [data, configuration, cache] {
      var check = FolderCheck()
      try check.check(folder)
    }
    // Of what a person keeps beside these in the same folder nothing is read.
    let own =
      [packs, blobs, prompts, actions, backups] + ["vectors", "restore.ready"].map { data.appending(path: $0) }
    for place in own + [vault, settings, data.appending(path: "keys.json"), scratch] {
      var check = FolderCheck()
      try check.check(within: place)
    }
  }
}

package enum FolderError: Explained, Equatable {
  case writable(String)
  case notOwn(String)

  package var code: String { "folder_refused" }
  package var message: String {
    switch self {
    case .writable(let path): "Others may write in \(path), so nothing that is kept there, or below it, is safe."
    case .notOwn(let path): "\(path) belongs to somebody else, who could change whatever is kept there."
    }
  }
  package var remedy: String? {
    switch self {
    case .writable(let path): "\"chmod go-w \(path)\" makes it yours alone; or choose another place with --home."
    case .notOwn: "Choose a place of your own with --home, or make it yours with chown."
    }
  }
}
