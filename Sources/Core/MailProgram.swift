package import Foundation

/// A program that sends mail, with its arguments: one of those known to do that, and no argument that makes it do anything else.
package struct MailProgram: Sendable, Equatable {
  package let path: String
  package let arguments: [String]

  /// What a program may be told. Arguments that name another configuration, a file or a program are in no line of this table.
  private struct Known {
    var flags: Set<String>
    /// Followed by an address or the name of an account.
    var values: Set<String> = []
  }

  private static let sendmail = Known(flags: ["-t", "-i", "-oi"], values: ["-f"])
  private static let known: [String: Known] = [
    "sendmail": sendmail, "exim": sendmail, "exim4": sendmail, "dma": sendmail, "esmtp": sendmail,
    "ssmtp": Known(flags: ["-t", "-i", "-oi"]),
    "msmtp": Known(flags: ["-t", "-i", "-oi", "--read-recipients", "--read-envelope-from"], values: ["-f", "-a"]),
    "nullmailer-inject": Known(flags: [], values: ["-f"]),
  ]
  /// What "sendmail" may be another name of, beside the programs above.
  private static let behind: Set = ["smtpctl", "mailwrapper"]

  package init(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    guard let path = words.first, path.hasPrefix("/"), SettingRule.isPlain(command), command.utf8.count <= 1000 else {
      throw MailProgramError.notAbsolute(command)
    }
    let name = (path as NSString).lastPathComponent
    guard let known = Self.known[name] else { throw MailProgramError.unknown(name, Self.known.keys.sorted()) }
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      if known.flags.contains(word) { continue }
      guard known.values.contains(word), let value = rest.popFirst(),
        value.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9._+@-]*/) != nil
      else {
        throw MailProgramError.argument(word, name, (known.flags + known.values.map { $0 + " NAME" }).sorted())
      }
    }
    self.path = path
    arguments = Array(words.dropFirst())
  }

  package static func isAcceptable(_ command: String) -> Bool {
    do {
      _ = try MailProgram(command)
      return true
    } catch { return false }  // why not, `init` says
  }

  /// The file must be the system's or the person's own, nobody else's to change, and lie in none of `folders`, into which less
  /// trusted parts of the program write.
  package func check(outside folders: [URL] = []) throws {
    func refuse(_ reason: String) -> MailProgramError { .file(path, reason) }
    guard let resolved = realpath(path, nil) else { throw refuse(systemReason()) }
    defer { free(resolved) }
    let file = String(cString: resolved)
    let name = (file as NSString).lastPathComponent
    guard Self.known[name] != nil || Self.behind.contains(name) || name.hasPrefix("sendmail.") else {
      throw refuse("it is another name of \(file)")
    }
    let own = folders.map { $0.resolvingSymlinksInPath().path }
    if own.contains(where: { file.hasPrefix($0 + "/") }) { throw refuse("it lies in the data folder") }
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(file, X_OK) == 0 else {
      throw refuse("it is no program")
    }
    guard status.st_mode & 0o022 == 0 else { throw refuse("others may write to it") }
    guard [0, geteuid()].contains(status.st_uid) else { throw refuse("it belongs to somebody else") }
    var folder = (file as NSString).deletingLastPathComponent
    while folder != "/" {
      guard stat(folder, &status) == 0, [0, geteuid()].contains(status.st_uid),
        status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0
      else { throw refuse("others may write to \(folder)") }
      folder = (folder as NSString).deletingLastPathComponent
    }
  }

  /// What it is told of the person: where its configuration and the store of passwords are, and nothing that changes what it loads.
  package static func environment(_ whole: [String: String]) -> [String: String] {
    let names: Set = [
      "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
      "DBUS_SESSION_BUS_ADDRESS",
    ]
    return whole.filter { names.contains($0.key) }
      .merging(["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]) { $1 }
  }
}

package enum MailProgramError: Explained {
  case notAbsolute(String)
  case unknown(String, [String])
  case argument(String, String, [String])
  case file(String, String)

  package var code: String { "setting_refused" }
  package var message: String {
    switch self {
    case .notAbsolute: "The mail program is given by its whole path and its arguments."
    case .unknown(let name, _): "\(name) is not known as a program that sends mail."
    case .argument(let word, let name, _): "\(name) is not started with the argument \(word)."
    case .file(let path, let reason): "\(path) is not started: \(reason)."
    }
  }
  package var remedy: String? {
    switch self {
    case .notAbsolute: "For example: libera settings set sendmail \"/usr/bin/msmtp -t\"."
    case .unknown(_, let known): "Known are: \(known.joined(separator: ", "))."
    case .argument(_, _, let known):
      known.isEmpty ? "It takes none." : "Allowed are: \(known.joined(separator: ", "))."
    case .file: "Name a program that belongs to the system or to you, and that nobody else may write to."
    }
  }
}
