import Foundation

/// A program of others that offers tools by the Model Context Protocol, as a person has added it at a terminal: what is started, and
/// what it may reach. The launcher starts it in a seal of its own. One that runs elsewhere has an address instead.
package struct ToolServer: Codable, Sendable, Equatable {
  package let name: String
  /// By its whole path; empty where it runs elsewhere.
  package let program: String
  package let arguments: [String]
  package let environment: [String: String]
  /// Whether it may open connections.
  package let network: Bool
  /// Folders and files that it may read, beside the system's programs and libraries.
  package let readable: [String]
  /// Folders that it may write to, beside its own home.
  package let writable: [String]
  /// Where it is spoken to over HTTP.
  package let address: String?
  /// What it is shown there in the header `Authorization`.
  package let key: String?
  /// Who vouches for it there, instead of those whom the system trusts: certificates as PEM.
  package let authority: String?
  /// Its tools that may act without a card being shown first, each with the hash of what it said of itself when that was decided.
  private var unasked: [String: String]? = [:]

  /// - Parameter program: A path, or a name that is looked for in `path` (folders with colons between them).
  package init(
    name: String, program: String, arguments: [String], environment: [String: String] = [:], network: Bool = false,
    readable: [String] = [], writable: [String] = [], path: String = ""
  ) throws {
    try Self.check(name)
    let words = [program] + arguments + environment.flatMap { [$0.key, $0.value] }
    guard words.allSatisfy({ !$0.utf8.contains(0) && $0.utf8.count <= 4096 }), words.count <= 200 else {
      throw ToolServerError.command
    }
    self.name = name
    self.program = try Self.found(program, path)
    self.arguments = arguments
    self.environment = environment
    self.network = network
    self.readable = try readable.map(Self.place)
    self.writable = try writable.map(Self.place)
    (address, key, authority) = (nil, nil, nil)
  }

  /// One that runs elsewhere: https, or http on this machine.
  package init(name: String, address: String, key: String?, authority: String? = nil) throws {
    try Self.check(name)
    guard WebAddress.isPlain(address), WebAddress.isAllowed(address), !address.contains("#") else {
      throw ToolServerError.address(address)
    }
    if let key, !(1...4096).contains(key.utf8.count) || !key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
      throw ToolServerError.key
    }
    if let authority, !address.hasPrefix("https:") || !Self.isCertificate(authority) {
      throw ToolServerError.authority
    }
    (self.name, self.address, self.key, self.authority) = (name, address, key, authority)
    (program, arguments, environment, network, readable, writable) = ("", [], [:], true, [], [])
  }

  package func actsUnasked(_ tool: String, hash: String) -> Bool { unasked?[tool] == hash }

  /// `hash` nil: the tool is asked about again.
  package mutating func decide(_ tool: String, hash: String?) {
    var decided = unasked ?? [:]
    decided[tool] = hash
    unasked = decided
  }

  /// What may act unasked does not change the program.
  package func isSameProgram(as other: ToolServer) -> Bool {
    var other = other
    other.unasked = unasked
    return self == other
  }

  private static func check(_ name: String) throws {
    guard name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,31}/) != nil else { throw ToolServerError.name(name) }
  }

  private static let longestAuthority = 64 << 10

  private static func isCertificate(_ text: String) -> Bool {
    text.utf8.count <= longestAuthority && text.contains("-----BEGIN CERTIFICATE-----")
      && text.utf8.allSatisfy { (0x20...0x7e).contains($0) || [0x09, 0x0a, 0x0d].contains($0) }
  }

  private static func found(_ program: String, _ path: String) throws -> String {
    let places = program.contains("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
    for place in places where access(place, X_OK) == 0 {
      return URL(filePath: place).standardizedFileURL.path
    }
    throw ToolServerError.noProgram(program)
  }

  /// Where the program, and what it is a link to, were installed with their libraries: the folder above their `bin`, where that is
  /// neither the system's nor a place for all kinds of things of the person.
  package static func installations(of program: String, home: String) -> [String] {
    let real = realpath(program, nil).map { found in
      defer { free(found) }
      return String(cString: found)
    }
    let programs = [program, real].compactMap(\.self).map { URL(filePath: $0).standardizedFileURL }
    let folders = programs.filter { $0.deletingLastPathComponent().lastPathComponent == "bin" }.map {
      $0.deletingLastPathComponent().deletingLastPathComponent().path
    }
    let general = ["/", "/usr", "/usr/local", home + "/.local"]
    return folders.filter { folder in
      !general.contains(folder) && !(home + "/").hasPrefix(folder + "/")
        && FileManager.default.fileExists(atPath: folder + "/lib")
    }
  }

  private static func place(_ path: String) throws -> String {
    guard let resolved = realpath((path as NSString).expandingTildeInPath, nil) else {
      throw ToolServerError.noPlace(path, systemReason())
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Nothing of ours may be granted: a server that reads the vault, or writes its own permissions or our program, needs no other leave.
  /// Who writes a folder can put a link in the place of what lies in it, so this is looked at anew at each start.
  package func check(outside folders: Folders) throws {
    let told = [folders.data, folders.configuration, folders.toolServers, folders.permissions]
    // In the cache lie programs that we start; of them only what holds a person's words is not to be read.
    let unreadable = told + [folders.scratch, folders.toolHomes]
    let unwritable = told + [folders.cache, Installation.programs]
    for place in readable + writable {
      if let found = RegularFile.resolved(place), found != place { throw ToolServerError.moved(place, found) }
    }
    // A program is often a link, and its file is read to start it.
    let read = readable + [RegularFile.resolved(program)].compactMap(\.self)
    for (paths, own) in [(read, unreadable), (writable, unwritable)] {
      for path in paths where own.contains(where: { Self.meet(path, $0.resolvingSymlinksInPath().path) }) {
        throw ToolServerError.ours(path)
      }
    }
  }

  /// Whether one of them lies in the other.
  private static func meet(_ one: String, _ other: String) -> Bool {
    ForeignName.lies(one, in: other) || ForeignName.lies(other, in: one)
  }
}

/// All that were added, in the order of their names.
package struct ToolServers: Codable, Sendable, Equatable {
  package static let most = 32
  package private(set) var servers: [ToolServer] = []

  package init() {}

  package static func read(_ folders: Folders) throws -> ToolServers {
    try TerminalFile.read(ToolServers.self, from: folders.toolServers) ?? ToolServers()
  }

  package func write(_ folders: Folders) throws { try TerminalFile.write(self, to: folders.toolServers) }

  package func named(_ name: String) throws -> ToolServer {
    guard let server = servers.first(where: { $0.name == name }) else {
      throw ToolServerError.unknown(name, servers.map(\.name))
    }
    return server
  }

  package mutating func add(_ server: ToolServer) throws {
    guard !servers.contains(where: { $0.name == server.name }) else { throw ToolServerError.taken(server.name) }
    guard servers.count < Self.most else { throw ToolServerError.tooMany }
    servers = (servers + [server]).sorted { $0.name < $1.name }
  }

  package mutating func remove(_ name: String) throws {
    _ = try named(name)
    servers.removeAll { $0.name == name }
  }

  /// From now on this tool, as it was shown, acts without a card.
  package mutating func allow(_ tool: String, of name: String, shown: ShownTools) throws {
    _ = try named(name)
    guard let hash = shown.hash(of: tool, name) else { throw ToolServerError.unseen(tool, name) }
    decide(tool, of: name, hash: hash)
  }

  package mutating func askFirst(_ tool: String, of name: String) throws {
    _ = try named(name)
    decide(tool, of: name, hash: nil)
  }

  private mutating func decide(_ tool: String, of name: String, hash: String?) {
    for index in servers.indices where servers[index].name == name { servers[index].decide(tool, hash: hash) }
  }
}

package enum ToolServerError: Explained {
  case name(String)
  case command
  case address(String)
  case key
  case authority
  case noProgram(String)
  case noPlace(String, String)
  case ours(String)
  case moved(String, String)
  case unknown(String, [String])
  case unseen(String, String)
  case taken(String)
  case tooMany

  package var code: String {
    switch self {
    case .unknown, .noProgram, .noPlace, .unseen: "tool_server_not_found"
    default: "tool_server_refused"
    }
  }
  package var message: String {
    switch self {
    case .name(let name): "\(name) is no name for a tool server."
    case .command: "The command of a tool server is too long, or holds what no command can."
    case .address(let address): "\(address) is no address for a tool server."
    case .key: "What was given as the key can be none."
    case .authority: "What was given as the authority is no certificate, or the address is not https."
    case .noProgram(let program): "There is no program \(program) that could be started."
    case .noPlace(let path, let reason): "\(path) cannot be granted: \(reason)."
    case .ours(let path):
      "\(path) cannot be granted: what LiberaGPT keeps lies there, your documents or the program itself among it."
    case .moved(let path, let found): "\(path) was granted, and now it leads to \(found), which was not."
    case .unknown(let name, _): "No tool server is called \(name)."
    case .unseen(let tool, let name): "What \(tool) of \(name) does has not been shown yet."
    case .taken(let name): "A tool server is called \(name) already."
    case .tooMany: "There are \(ToolServers.most) tool servers, and more are not kept."
    }
  }
  package var remedy: String? {
    switch self {
    case .name: "Small letters, digits and hyphens, at most 32 of them."
    case .command: nil
    case .address: "https://HOST/PATH, or http:// for a server on this machine (127.0.0.1, localhost)."
    case .key: "One word of letters, digits and signs, without spaces, in the file or the variable."
    case .authority: "A file in PEM, which begins with -----BEGIN CERTIFICATE-----, of at most 64 kB."
    case .noProgram: "Give its whole path."
    case .noPlace: "Name a file or folder that is there."
    case .ours: "Grant a folder of its own, for example ~/Notes."
    case .moved: "Put the folder back in its place, or remove the server and add it again with what it may reach."
    case .unknown(_, let known):
      known.isEmpty ? "Add one: libera tools add NAME -- PROGRAM." : "There are: \(known.joined(separator: ", "))."
    case .unseen(_, let name): "Look at it, then decide: libera tools list \(name)."
    case .taken: "Remove it first: libera tools remove NAME."
    case .tooMany: "Remove one that is not needed: libera tools remove NAME."
    }
  }
}
