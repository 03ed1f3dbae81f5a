import Foundation
import Testing

@testable import Core

@Suite("Permissions")
struct PermissionsTests {
  let file = FileManager.default.temporaryDirectory.appending(
    path: "permissions-\(UUID().uuidString)/home.permissions.json")

  @Test("They lie beside the folders that the main process writes into, and in none of them")
  func place() {
    for folders in [
      Folders(home: URL(filePath: "/x/home", directoryHint: .isDirectory), environment: [:]),
      Folders(home: URL(filePath: "/x/home/./"), environment: [:]), Folders(environment: ["HOME": "/x"]),
    ] {
      let path = folders.permissions.path
      for folder in [folders.data, folders.configuration, folders.cache] {
        #expect(!path.hasPrefix(folder.standardizedFileURL.path + "/"), "\(path)")
      }
      #expect(path.hasSuffix(".permissions.json"))
    }
  }

  @Test("What is written is read again, by its owner alone")
  func roundTrip() throws {
    #expect(try Permissions.read(file) == nil)
    let permissions = Permissions(offline: true, sendmail: "/usr/bin/msmtp -t")
    try permissions.write(to: file)
    try permissions.write(to: file)
    #expect(try Permissions.read(file) == permissions)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("Of what was written by hand no more counts than a terminal would have taken")
  func byHand() throws {
    var permissions = Permissions()
    permissions.origins = ["null", "*", "https://chat.example.org"]
    permissions.repositories = ["../../x", "a/b"]
    try permissions.write(to: file)
    let read = try Permissions.read(file)
    #expect(read?.origins == ["https://chat.example.org"])
    #expect(read?.repositories == ["a/b"])
  }

  @Test("A file that others may write, a link, a pipe and nonsense are not believed")
  func foreign() throws {
    try Permissions().write(to: file)
    chmod(file.path, 0o622)
    #expect(throws: PermissionsError.self) { try Permissions.read(file) }
    let other = file.appendingPathExtension("other")
    try Permissions().write(to: other)
    unlink(file.path)
    symlink(other.path, file.path)
    #expect(throws: PermissionsError.self) { try Permissions.read(file) }
    unlink(file.path)
    mkfifo(file.path, 0o600)
    #expect(throws: PermissionsError.self) { try Permissions.read(file) }
    unlink(file.path)
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data("{}".utf8), attributes: [.posixPermissions: 0o600]))
    #expect(throws: PermissionsError.self) { try Permissions.read(file) }
  }
}
