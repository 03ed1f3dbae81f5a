import Foundation

/// Something that takes bytes from others.
protocol Target: Sendable {
  static var name: String { get }
  init() async throws
  var seeds: [Seed] { get }
  func feed(_ input: Data) async throws
  func end() async
}

extension Target {
  func end() async {}
}

/// The process went on, and yet it did what it must not.
struct Violation: Error {
  var what: String
}

enum Targets {
  static let all: [any Target.Type] = [
    Requests.self, Questions.self, Frames.self, Headers.self, Calendars.self, Mails.self, Answers.self, Archives.self,
    Backups.self, Papers.self,
    Packages.self, Searches.self, Found.self, Times.self, Files.self, Tools.self, Bridges.self,
  ]
}

/// A folder of its own for a target's run, in memory where there is such a place.
struct Scratch: Sendable {
  let folder: URL

  private static func place(of process: Int32) -> URL {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let base =
      FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    return base.appending(path: "libera-fuzz-\(process)", directoryHint: .isDirectory)
  }

  init() throws {
    folder = Self.place(of: getpid())
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func file(_ name: String, _ data: Data) throws -> URL {
    let file = folder.appending(path: name)
    try data.write(to: file)
    return file
  }

  func remove() { Self.remove(of: getpid()) }

  static func remove(of process: Int32) {
    let folder = place(of: process)
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    do { try FileManager.default.removeItem(at: folder) } catch { say("left behind: \(folder.path)") }
  }
}

/// At once, also where standard output is a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
