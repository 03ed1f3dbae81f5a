import Core
import Foundation
import Safety
import TestSupport
import Testing

@testable import Workers

@Suite("The launcher")
struct LauncherTests {
  private let place: LaunchPlace
  private var base: URL { place.base }
  private var folders: Folders { place.folders }
  private var staging: URL { folders.packs.appending(path: ".staging") }

  init() throws {
    place = try LaunchPlace()
    try Folders.make(staging)
  }

  private func launching(offline: Bool = false, _ work: (Launcher) async throws -> Void) async throws {
    try await place.launching(offline: offline, work)
  }

  private func refused(_ code: String, _ work: () async throws -> Void) async {
    #expect(await errorCode { try await work() } == code)
  }

  @Test("It starts a worker with a network that writes into its staging folder and nowhere else, and counts it")
  func starts() async throws {
    try await launching { launcher in
      #expect(try await launcher.count() == LauncherMessages.Count())
      let worker = try await launcher.start(.echo)
      #expect(worker.seal.isSealed, "\(worker.seal.summary)")
      #expect(worker.seal.socketDenied == nil)
      func attempt(_ what: String) async throws -> Int32 { try await worker.ask("open", what, for: Int32.self) }
      #expect(try await attempt("socket inet") == 0)
      #expect(try await attempt("write \(staging.path)/part") == 0)
      #expect(try await attempt("write \(folders.packs.path)/part") == EACCES)
      #expect(try await attempt("write /tmp/libera-escape") == EACCES)
      #expect(try await attempt("/proc/1/cmdline") == EACCES)
      #expect(try await attempt(NSHomeDirectory()) == EACCES)
      #expect(try await launcher.count().connected == 1)
      await worker.stop()
      #expect(!isRunning(worker.process))
    }
  }

  @Test("Workers are told what engines read, those with a network how others are reached, and none a password or a key")
  func told() {
    let whole = [
      "HOME": "/h", "TOKEN": "t", "LIBERA_PASSWORD": "p", "LIBERA_CPU": "plain", "LANG": "C", "HTTPS_PROXY": "x",
      "no_proxy": "n", "HF_ENDPOINT": "https://mirror.example", "SSL_CERT_FILE": "/c.pem",
      "SSL_CERT_DIR": "/c",
    ]
    let plain = Spawner.plainEnvironment(whole)
    #expect(plain.keys.filter { whole[$0] != nil }.sorted() == ["LANG", "LIBERA_CPU"])
    let connected = Spawner.connectedEnvironment(whole)
    #expect(
      connected.keys.filter { whole[$0] != nil }.sorted()
        == ["HF_ENDPOINT", "HTTPS_PROXY", "LANG", "LIBERA_CPU", "SSL_CERT_FILE", "no_proxy"])
  }

  @Test("A worker with a network learns nothing of the person from the environment")
  func environment() async throws {
    #expect(ProcessInfo.processInfo.environment["HOME"] != nil, "there must be something to be kept from it")
    try await launching { launcher in
      let worker = try await launcher.start(.echo)
      let names = Set(try await worker.ask("environment", true, for: [String].self))
      #expect(names.isDisjoint(with: ["HOME", "PATH", "USER", "PWD"]), "\(names)")
      await worker.stop()
    }
  }

  @Test("What a worker with a network may reach is not for the main process to say")
  func sealIsTheLaunchers() async throws {
    try await launching { launcher in
      // The greeting that the main process sends carries a seal and a descriptor that would open everything.
      let root = open("/", O_RDONLY | O_DIRECTORY)
      defer { close(root) }
      let worker = try await launcher.start(.echo, files: [root])
      let file = base.appending(path: "file")
      try Data("x".utf8).write(to: file)
      for path in [NSHomeDirectory(), file.path, "/etc/passwd"] {
        #expect(try await worker.ask("open", path, for: Int32.self) == EACCES, "\(path)")
      }
      await worker.stop()
    }
  }

  @Test("A link in the staging folder's place starts nothing")
  func link() async throws {
    try await launching { launcher in
      _ = try await launcher.count()
      let elsewhere = base.appending(path: "elsewhere/.staging")
      try Folders.make(elsewhere)
      try FileManager.default.removeItem(at: staging)
      symlink(elsewhere.path, staging.path)
      await refused("data_folder") { _ = try await launcher.start(.echo) }
      try FileManager.default.removeItem(at: folders.packs)
      symlink(elsewhere.deletingLastPathComponent().path, folders.packs.path)
      await refused("data_folder") { _ = try await launcher.start(.echo) }
      #expect(try await launcher.count().connected == 0)
    }
  }

  @Test("A kind of worker that needs no network is not started with one")
  func kinds() async throws {
    try await launching { launcher in await refused("bad_request") { _ = try await launcher.start(.chat) } }
  }

  @Test("The end of a worker it started is told with its reason")
  func dies() async throws {
    try await launching { launcher in
      let worker = try await launcher.start(.echo)
      await #expect {
        try await collect(worker.call("crash", ""))
      } throws: {
        RemoteError($0).message.contains("ABRT")
      }
    }
  }

  @Test("Offline it starts nothing, says so, and counts the refusal")
  func offline() async throws {
    try await launching(offline: true) { launcher in
      await refused("offline") { _ = try await launcher.start(.fetch) }
      await refused("offline") { try await launcher.browse(port: 1, code: SHA256.secret()) }
      await refused("offline") { try await launcher.send(message: 0) }
      let count = try await launcher.count()
      #expect(count.connected == 0 && count.sent == 0 && count.browsers == 0)
      #expect(count.refusedOffline == 3 && count.offline)
    }
  }

  @Test("Going offline ends what runs with that reason, lets nothing start, and only the permissions take it back")
  func goesOffline() async throws {
    try await launching { launcher in
      let worker = try await launcher.start(.echo)
      var (_, call) = try await first(worker.call("deaf", ""))
      try await launcher.goOffline()
      await refused("offline") { while try await call.next() != nil {} }
      #expect(!isRunning(worker.process))
      await refused("offline") { _ = try await launcher.start(.echo) }
      #expect(try Permissions.read(folders.permissions) == Permissions(offline: true))
      #expect(try await launcher.permissions().offline)
      try Permissions(offline: false).write(to: folders.permissions)
      let again = try await launcher.start(.echo)
      (_, call) = try await first(again.call("deaf", ""))
      // What a terminal wrote meanwhile holds from the next request on, for what runs too.
      try Permissions(offline: true).write(to: folders.permissions)
      #expect(try await launcher.count().offline)
      await refused("offline") { while try await call.next() != nil {} }
      #expect(!isRunning(again.process))
    }
  }

  @Test("Offline that is set beside a launcher ends what it runs, though nobody asks it for anything")
  func offlineBeside() async throws {
    try await launching { launcher in
      let worker = try await launcher.start(.echo)
      var (_, call) = try await first(worker.call("deaf", ""))
      try Permissions(offline: true).write(to: folders.permissions)
      await refused("offline") { while try await call.next() != nil {} }
      #expect(!isRunning(worker.process))
    }
  }

  @Test(
    "Permissions that others could have written permit nothing, and going offline holds where they cannot be written")
  func unbelievable() async throws {
    try Permissions(offline: false, sendmail: "/usr/sbin/sendmail -t").write(to: folders.permissions)
    chmod(folders.permissions.path, 0o666)
    try await launching { launcher in
      #expect(try await launcher.permissions() == Permissions(offline: true))
      await refused("offline") { _ = try await launcher.start(.echo) }
      unlink(folders.permissions.path)
      #expect(try await launcher.permissions() == Permissions())
      try Folders.make(folders.permissions)
      await refused("permissions_refused") { try await launcher.goOffline() }
      try FileManager.default.removeItem(at: folders.permissions)
      #expect(try await launcher.permissions().offline)
    }
  }

  @Test("Mail goes through the program that the permissions name, with a plain environment, and is counted as mail")
  func sends() async throws {
    let told = base.appending(path: "told")
    let program = base.appending(path: "tools/msmtp")
    try Folders.make(program.deletingLastPathComponent())
    try Data("#!/bin/sh\n(echo \"$@\"; env; cat) > '\(told.path)'\n".utf8).write(to: program)
    chmod(program.path, 0o700)
    let message = base.appending(path: "message")
    try Data("To: bob@example.org\n\nhello\n".utf8).write(to: message)
    let file = try FileHandle(forReadingFrom: message)
    try await launching { launcher in
      await refused("mail_program_missing") { try await launcher.send(message: file.fileDescriptor) }
      try Permissions(sendmail: "\(program.path) -t").write(to: folders.permissions)
      try await launcher.send(message: file.fileDescriptor)
      let text = try String(contentsOf: told, encoding: .utf8)
      #expect(text.hasPrefix("-t\n") && text.hasSuffix("hello\n") && text.contains("HOME="))
      #expect(!text.contains("LD_LIBRARY_PATH") && !text.contains("LIBERA_"))
      var count = try await launcher.count()
      #expect(count.sent == 1 && count.connected == 0)

      var ends: [CInt] = [-1, -1]
      #expect(pipe(&ends) == 0)
      await refused("bad_request") { try await launcher.send(message: ends[0]) }
      for end in ends { close(end) }
      try Permissions(sendmail: "/bin/sh \(message.path)").write(to: folders.permissions)
      await refused("setting_refused") { try await launcher.send(message: file.fileDescriptor) }
      // A program that the main process could have written is none that it may have started.
      let planted = folders.data.appending(path: "msmtp")
      try FileManager.default.copyItem(at: program, to: planted)
      try Permissions(sendmail: planted.path).write(to: folders.permissions)
      await refused("setting_refused") { try await launcher.send(message: file.fileDescriptor) }
      chmod(program.path, 0o722)
      try Permissions(sendmail: "\(program.path) -t").write(to: folders.permissions)
      await refused("setting_refused") { try await launcher.send(message: file.fileDescriptor) }
      count = try await launcher.count()
      #expect(count.sent == 1)
    }
  }

  @Test("Mail whose sending nobody waited for to its end does not count as sent")
  func givenUp() async throws {
    let told = base.appending(path: "told")
    let program = base.appending(path: "tools/msmtp")
    try Folders.make(program.deletingLastPathComponent())
    try Data("#!/bin/sh\n: > '\(told.path)'\nexec sleep 1000\n".utf8).write(to: program)
    chmod(program.path, 0o700)
    let message = base.appending(path: "message")
    try Data("To: bob@example.org\n\nhello\n".utf8).write(to: message)
    let file = try FileHandle(forReadingFrom: message)
    try await launching { launcher in
      try Permissions(sendmail: "\(program.path) -t").write(to: folders.permissions)
      let sending = Task { try await launcher.send(message: file.fileDescriptor) }
      while !FileManager.default.fileExists(atPath: told.path) { try await Task.sleep(for: .milliseconds(20)) }
      sending.cancel()
      await #expect(throws: CancellationError.self) { try await sending.value }
    }
  }

  @Test(
    "It opens a page by a port and a code and by nothing else",
    arguments: ["", "0", "\"><script>", "https://example.org/", String(repeating: "g", count: 64)])
  func foreign(_ code: String) async throws {
    try await launching { launcher in
      for port in [0, 4242] as [UInt16] {
        await refused("bad_request") {
          try await launcher.browse(port: port, code: port == 0 ? SHA256.secret() : code)
        }
      }
      let count = try await launcher.count()
      #expect(count.browsers == 0)
    }
  }

  @Test("When it ends, the workers it started end with it")
  func ends() async throws {
    try await launching { launcher in
      let worker = try await launcher.start(.echo)
      var (_, call) = try await first(worker.call("deaf", ""))
      await launcher.stop()
      await #expect(throws: (any Error).self) { while try await call.next() != nil {} }
      #expect(!worker.isAlive)
    }
  }
}

@Suite("Words for the desktop")
struct PlainWordsTests {
  @Test("They carry no markup, no escape sequence and no line break, and are bounded")
  func plain() {
    #expect(PlainWords.of("<a href=x>Tea & cake</a>", 200) == "‹a href=x›Tea ＆ cake‹/a›")
    #expect(PlainWords.of("a\u{1B}]52;c;YQ==\u{7}b\nc\u{202E}d", 200) == "a ]52;c;YQ== b c d")
    #expect(PlainWords.of(String(repeating: "long ", count: 10_000), 200).count == 200)
    #expect(PlainWords.of("e" + String(repeating: "\u{301}", count: 100_000), 10).unicodeScalars.count <= 40)
  }
}
