package import Core
package import Foundation

/// The tar file of a version, unpressed: one folder with plain files, folders, and links that stay inside it.
///
/// It is believed in nothing: no name leads out of the folder, nothing is written through a link or over anything, and what is
/// neither file, folder nor link is refused. Members are read by Swift alone.
package struct TreeArchive {
  package static let mostBytes = 4 << 30
  private static let mostMembers = 50_000
  private static let block = 512
  private static let mostName = 4096

  private let file: RegularFile
  /// The folder that must be the only one.
  private let top: String
  private let folder: URL
  private var made: Set<String> = []
  private var files: Set<String> = []
  private var links: [(path: [String], target: String)] = []

  private init(_ file: RegularFile, _ top: String, _ folder: URL) {
    (self.file, self.top, self.folder) = (file, top, folder)
  }

  /// `folder` becomes what the archive calls `top`; it must not be there. All of it is on the disk when this returns.
  package static func unpack(
    _ file: RegularFile, top: String, to folder: URL, _ check: () throws -> Void = {}
  ) throws {
    var archive = TreeArchive(file, top, folder)
    try archive.unpack(check)
  }

  private struct Member {
    var path: [String]
    var kind: UInt8
    var isProgram: Bool
    var target: String
    var start: Int
    var bytes: Int
  }

  private mutating func unpack(_ check: () throws -> Void) throws {
    var (place, count, total) = (0, 0, 0)
    while let member = try next(&place) {
      (count, total) = (count + 1, total + member.bytes)
      guard count <= Self.mostMembers, total <= Self.mostBytes else { throw ReleaseError.archive("it holds too much") }
      try check()
      try take(member)
    }
    guard made.contains("") else { throw ReleaseError.archive("there is nothing in it") }
    // Last, so that nothing can be written through one.
    for link in links { try make(link: link.path, to: link.target) }
    for name in made.sorted(by: >) { try DurableFile.sync(name.isEmpty ? folder : folder.appending(path: name)) }
    try DurableFile.sync(folder.deletingLastPathComponent())
  }

  private mutating func take(_ member: Member) throws {
    let name = member.path.joined(separator: "/")
    if !member.path.isEmpty, !made.contains(member.path.dropLast().joined(separator: "/")) {
      throw ReleaseError.archive("\"\(name)\" stands before its folder, or in something that is none")
    }
    guard !made.contains(name), !files.contains(name), !links.contains(where: { $0.path == member.path }) else {
      throw ReleaseError.archive("\"\(name)\" stands twice")
    }
    switch member.kind {
    case UInt8(ascii: "5"):
      // As everybody's programs are; whoever runs this keeps other files to themselves.
      guard mkdir(place(name), 0o700) == 0, chmod(place(name), 0o755) == 0 else { throw Self.failure(place(name)) }
      made.insert(name)
    case UInt8(ascii: "0"), 0:
      guard !member.path.isEmpty else { throw ReleaseError.archive("its folder is a file") }
      try write(member, to: place(name))
      files.insert(name)
    case UInt8(ascii: "2"):
      guard !member.path.isEmpty else { throw ReleaseError.archive("its folder is a link") }
      links.append((member.path, member.target))
    default: throw ReleaseError.archive("\"\(name)\" is neither a file, a folder nor a link")
    }
  }

  private func place(_ name: String) -> String { name.isEmpty ? folder.path : folder.path + "/" + name }

  private func write(_ member: Member, to path: String) throws {
    let out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard out >= 0 else { throw Self.failure(path) }
    defer { close(out) }
    var done = 0
    while done < member.bytes {
      guard let piece = try file.piece(at: member.start + done, upTo: min(1 << 20, member.bytes - done)) else {
        throw ReleaseError.archive("it ends too early")
      }
      guard Descriptor.write(piece, to: out) else { throw Self.failure(path) }
      done += piece.count
    }
    guard fchmod(out, member.isProgram ? 0o755 : 0o644) == 0, fsync(out) == 0 else { throw Self.failure(path) }
  }

  private func make(link path: [String], to target: String) throws {
    let name = path.joined(separator: "/")
    var reached = path.dropLast().map(\.self)
    for part in ForeignName.parts(target) {
      switch part {
      case "..":
        guard reached.popLast() != nil else { throw ReleaseError.archive("the link \"\(name)\" leads out of it") }
      case "", ".": throw ReleaseError.archive("the link \"\(name)\" leads out of it, or nowhere")
      default: reached.append(part)
      }
    }
    let end = reached.joined(separator: "/")
    guard files.contains(end) || made.contains(end) else {
      throw ReleaseError.archive("the link \"\(name)\" leads to nothing in it")
    }
    guard symlink(target, place(name)) == 0 else { throw Self.failure(place(name)) }
  }

  private static func failure(_ path: String) -> any Error {
    DiskFull.isMeant(by: errno)
      ? DiskFull() : NSError(domain: NSPOSIXErrorDomain, code: Int(errno), userInfo: [NSFilePathErrorKey: path])
  }
}

// MARK: Headers
extension TreeArchive {
  /// The member that begins at `place`, which moves on to the next; nil at the end.
  private func next(_ place: inout Int) throws -> Member? {
    var (longName, longTarget): (String?, String?)
    while true {
      guard let header = try file.piece(at: place, upTo: Self.block).map(Array.init), header.count == Self.block else {
        throw ReleaseError.archive("it has no end")
      }
      if header.allSatisfy({ $0 == 0 }) { return nil }
      // The checksum counts its own eight places as spaces.
      let sum = header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
      guard header[257..<262].elementsEqual("ustar".utf8), Self.octal(header[148..<156]) == sum,
        let bytes = Self.octal(header[124..<136])
      else { throw ReleaseError.archive("it is no tar file, or a damaged one") }
      let start = place + Self.block
      guard bytes <= file.bytes - start else { throw ReleaseError.archive("it ends too early") }
      place = start + (bytes + Self.block - 1) / Self.block * Self.block
      switch header[156] {
      // A name that does not fit its header stands before it, as GNU's tar writes it.
      case UInt8(ascii: "L"): longName = try text(at: start, bytes)
      case UInt8(ascii: "K"): longTarget = try text(at: start, bytes)
      default:
        guard header[345] == 0 || longName != nil else { throw ReleaseError.archive("a name is in two parts") }
        let isFile = [0, UInt8(ascii: "0")].contains(header[156])
        return Member(
          path: try path(longName ?? Self.text(header[..<100])), kind: header[156],
          isProgram: (Self.octal(header[100..<108]) ?? 0) & 0o100 != 0,
          target: try longTarget ?? Self.text(header[157..<257]), start: start, bytes: isFile ? bytes : 0)
      }
    }
  }

  /// The parts of a name below the one folder.
  private func path(_ name: String) throws -> [String] {
    var parts = ForeignName.parts(name)
    if parts.last == "", parts.count > 1 { parts.removeLast() }
    guard parts.first == top, parts.count <= 32, parts.allSatisfy(ForeignName.isPart) else {
      throw ReleaseError.archive("\"\(name)\" lies outside of \(top)")
    }
    return Array(parts.dropFirst())
  }

  private func text(at place: Int, _ bytes: Int) throws -> String {
    guard bytes <= Self.mostName, let data = try file.piece(at: place, upTo: bytes), data.count == bytes else {
      throw ReleaseError.archive("a name is too long")
    }
    return try Self.text(data)
  }

  private static func text(_ bytes: some Collection<UInt8>) throws -> String {
    guard let text = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) else {
      throw ReleaseError.archive("a name is no text")
    }
    return text
  }

  private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
    guard digits.allSatisfy({ (48...55).contains($0) }) else { return nil }
    return digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}
