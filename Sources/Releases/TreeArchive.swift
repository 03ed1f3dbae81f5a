package import Core
package import Foundation

/// The tar file of a version, unpressed: one folder with plain files, folders, and links that stay inside it.
///
/// It is believed in nothing: no name leads out of the folder, nothing is written through a link or over anything, and what is
/// neither file, folder nor link is refused. Members are read by Swift alone.
package struct TreeArchive {
  package static let mostBytes = 4 << 30
  private static let mostMembers = 50_000
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
    while let header = try TarHeader.read(file.piece(at: place, upTo: TarHeader.block), ReleaseError.archive) {
      let start = place + TarHeader.block
      guard header.bytes <= file.bytes - start else { throw ReleaseError.archive("it ends too early") }
      place = start + header.bytes + TarHeader.padding(header.bytes)
      switch header.kind {
      // A name that does not fit its header stands before it, as GNU's tar writes it.
      case UInt8(ascii: "L"): longName = try text(at: start, header.bytes)
      case UInt8(ascii: "K"): longTarget = try text(at: start, header.bytes)
      default:
        guard !header.isSplit || longName != nil else { throw ReleaseError.archive("a name is in two parts") }
        return Member(
          path: try path(longName ?? header.name), kind: header.kind, isProgram: header.isProgram,
          target: longTarget ?? header.target, start: start, bytes: header.isFile ? header.bytes : 0)
      }
    }
    return nil
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
    guard let text = TarHeader.text(data) else { throw ReleaseError.archive("a name is no text") }
    return text
  }
}
