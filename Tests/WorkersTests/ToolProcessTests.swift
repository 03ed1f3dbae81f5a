import Core
import Foundation
import Safety
import TestSupport
import Testing

@testable import Workers

/// Small shell scripts stand for programs of others: what they try is what any program could.
@Suite("Tool servers")
struct ToolProcessTests {
  private let place: LaunchPlace
  private var base: URL { place.base }
  private var folders: Folders { place.folders }

  init() throws {
    place = try LaunchPlace()
    try Folders.make(folders.data)
  }

  private func add(
    _ script: String, network: Bool = false, readable: [String] = [], writable: [String] = [],
    environment: [String: String] = [:]
  ) throws {
    var servers = ToolServers()
    try servers.add(
      ToolServer(
        name: "script", program: "/bin/sh", arguments: ["-c", script], environment: environment, network: network,
        readable: readable, writable: writable))
    try servers.write(folders)
  }

  private func launching(_ work: (Launcher) async throws -> Void) async throws { try await place.launching(work) }

  /// Everything it says until it ends, and how it ended.
  private func lines(_ tool: ToolProcess) async -> (said: [String], end: (any Error)?) {
    var said: [String] = []
    do {
      for try await line in tool.lines { said.append(String(decoding: line, as: UTF8.self)) }
      return (said, nil)
    } catch { return (said, error) }
  }

  @Test("Lines go in and come out, and its end is told with its last words")
  func lines() async throws {
    try add("read line; echo \"heard $line\"; echo gone wrong >&2; exit 3")
    try await launching { launcher in
      let tool = try await launcher.start(tool: "script")
      try tool.write(Data("hello".utf8))
      let (said, end) = await lines(tool)
      #expect(said == ["heard hello"])
      let error = RemoteError(try #require(end))
      #expect(error.code == "tool_server_ended")
      #expect(error.message.contains("exit code 3") && error.message.contains("gone wrong"), "\(error.message)")
      #expect(throws: ToolProcessError.self) { try tool.write(Data("more".utf8)) }
    }
  }

  @Test("It reads and writes what it was granted, its own home, and nothing else of the person")
  func reach() async throws {
    let granted = base.appending(path: "granted")
    let kept = base.appending(path: "kept")
    for folder in [granted, kept] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("text\n".utf8).write(to: folder.appending(path: "file"))
    }
    let secret = folders.data.appending(path: "secret")
    try Data("secret\n".utf8).write(to: secret)
    try add(
      """
      try() { if eval "$2" >/dev/null 2>&1; then echo "$1 yes"; else echo "$1 no"; fi; }
      try read-granted 'cat \(granted.path)/file'
      try write-granted 'echo x > \(granted.path)/new'
      try read-kept 'cat \(kept.path)/file'
      try write-kept 'echo x > \(kept.path)/new'
      try vault 'cat \(secret.path)'
      try passwd 'cat /etc/passwd'
      try home 'echo x > "$HOME/own" && cat "$HOME/own"'
      try start 'ls /usr'
      try run-own 'cp /bin/true "$HOME/own-true"; chmod 700 "$HOME/own-true"; "$HOME/own-true"'
      try others 'kill -0 \(getpid())'
      """, readable: [granted.path])
    try await launching { launcher in
      let (said, _) = await lines(try await launcher.start(tool: "script"))
      #expect(
        said == [
          "read-granted yes", "write-granted no", "read-kept no", "write-kept no", "vault no", "passwd no", "home yes",
          "start yes", "run-own no", "others no",
        ])
    }
  }

  @Test("It is told nothing of the person but what the terminal gave it")
  func environment() async throws {
    try add("env | cut -d= -f1 | sort", environment: ["TOKEN": "x"])
    try await launching { launcher in
      let (said, _) = await lines(try await launcher.start(tool: "script"))
      let usual: Set = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "PWD", "SHLVL", "TMPDIR", "TZ", "_", "OLDPWD"]
      #expect(Set(said).subtracting(usual) == ["TOKEN"])
    }
  }

  @Test("One that is given up while it is being started is ended, whatever it listens to")
  func givenUp() async throws {
    let mark = UUID().uuidString
    try add("trap '' HUP INT TERM PIPE; while :; do sleep 0.1; done # \(mark)")
    func running() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
        guard process.allSatisfy(\.isNumber) else { return false }
        let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: words, as: UTF8.self).contains(mark)
      }
    }
    try await launching { launcher in
      for pause in 0..<12 {
        let starting = Task { try await launcher.start(tool: "script") }
        try await Task.sleep(for: .milliseconds(pause))
        starting.cancel()
        if case .success(let tool) = await starting.result { tool.stop() }
      }
      // Requests are taken in their order: all of them have begun.
      _ = try await launcher.count()
      while try !running().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  @Test("Offline ends one that has a network and starts it no more; one without goes on", arguments: [true, false])
  func offline(network: Bool) async throws {
    try add("echo here; while read line; do echo \"$line\"; done", network: network)
    try await launching { launcher in
      let tool = try await launcher.start(tool: "script")
      var said = tool.lines.makeAsyncIterator()
      #expect(try await said.next() == Data("here".utf8))
      try await launcher.goOffline()
      if network {
        await #expect(throws: ToolProcessError.self) { try await said.next() }
        await #expect { _ = try await launcher.start(tool: "script") } throws: { RemoteError($0).code == "offline" }
      } else {
        try tool.write(Data("still".utf8))
        #expect(try await said.next() == Data("still".utf8))
        tool.stop()
      }
    }
  }

  @Test("What it has started ends with it")
  func group() async throws {
    // One that asks for a session of its own is refused, and stays in the group.
    try add("setsid sh -c 'exit 0' && echo left; sleep 1000 & echo $!; read line")
    try await launching { launcher in
      let tool = try await launcher.start(tool: "script")
      var said = tool.lines.makeAsyncIterator()
      let line = try #require(try await said.next())
      let child = try #require(pid_t(String(decoding: line, as: UTF8.self)))
      tool.stop()
      await #expect(throws: ToolProcessError.self) { try await said.next() }
      while goesOn(child) { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  /// What has ended and was not looked after yet does not go on.
  private func goesOn(_ process: pid_t) -> Bool {
    guard isRunning(process), let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return false
    }
    return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  @Test("One that sends a line without end is ended")
  func longLine() async throws {
    try add("head -c 6000000 /dev/zero | tr '\\0' x; exec sleep 1000")
    try await launching { launcher in
      let (_, end) = await lines(try await launcher.start(tool: "script"))
      #expect(RemoteError(try #require(end)).message.contains("longer than"))
    }
  }

  @Test("One that says more than anybody reads is ended")
  func floods() async throws {
    try add("read line; yes")
    try await launching { launcher in
      let tool = try await launcher.start(tool: "script")
      try tool.write(Data("go".utf8))
      // What it says is taken when it has ended: nobody reads meanwhile.
      while (try? tool.write(Data("x".utf8))) != nil { try await Task.sleep(for: .milliseconds(5)) }
      let (_, end) = await lines(tool)
      #expect(RemoteError(try #require(end)).message.contains("more than was asked"))
    }
  }

  @Test("One that says few but long lines that nobody reads is ended, before they fill memory")
  func longFloods() async throws {
    try add("while read line; do head -c 4000000 /dev/zero | tr '\\0' x; echo; done")
    try await launching { launcher in
      let tool = try await launcher.start(tool: "script")
      try tool.write(Data("go".utf8))
      // A line for each that it is sent; what it says is taken when it has ended.
      while (try? tool.write(Data("x".utf8))) != nil { try await Task.sleep(for: .milliseconds(50)) }
      let (said, end) = await lines(tool)
      #expect(RemoteError(try #require(end)).message.contains("more than was asked"))
      #expect(said.count < 20)
    }
  }

  @Test("One that does not read keeps nobody waiting")
  func deaf() async throws {
    try add("echo here; exec sleep 1000")
    try await launching { launcher in
      let tool = try await launcher.start(tool: "script")
      var said = tool.lines.makeAsyncIterator()
      #expect(try await said.next() == Data("here".utf8))
      let much = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
      #expect(throws: ToolProcessError.self) { for _ in 0..<100 { try tool.write(much) } }
      await #expect(throws: ToolProcessError.self) { try await said.next() }
    }
  }

  @Test("What was not added is not started")
  func unknown() async throws {
    try await launching { launcher in
      #expect(await errorCode { _ = try await launcher.start(tool: "script") } == "tool_server_not_found")
    }
  }

  @Test("Nothing of ours can be granted, nor a folder above it")
  func ours() throws {
    try Folders.make(folders.scratch)
    for path in [folders.data.path, folders.cache.path, folders.scratch.path, base.path, "/"] {
      let writing = try ToolServer(name: "x", program: "/bin/sh", arguments: [], writable: [path])
      let reading = try ToolServer(name: "x", program: "/bin/sh", arguments: [], readable: [path])
      for server in [writing, reading] {
        #expect(throws: ToolServerError.self, "\(path)") { try server.check(outside: folders) }
      }
    }
    let elsewhere = try ToolServer(name: "x", program: "/bin/sh", arguments: [], readable: ["/usr/share"])
    try elsewhere.check(outside: folders)
    // Our program, which it could otherwise put another in the place of.
    for path in [Installation.programs, Installation.programs.deletingLastPathComponent()].map(\.path) {
      let over = try ToolServer(name: "x", program: "/bin/sh", arguments: [], writable: [path])
      #expect(throws: ToolServerError.self, "\(path)") { try over.check(outside: folders) }
    }
    try place.remove()
  }

  @Test("A link that somebody has put in the place of what was granted, or of the program, gives nothing of ours")
  func replaced() async throws {
    let work = base.appending(path: "work")
    let (inner, program) = (work.appending(path: "inner"), work.appending(path: "program"))
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try Data("secret\n".utf8).write(to: folders.data.appending(path: "secret"))
    try FileManager.default.createSymbolicLink(atPath: program.path, withDestinationPath: "/bin/sh")
    var servers = ToolServers()
    let words = ["-c", "cat \(inner.path)/secret"]
    try servers.add(
      ToolServer(
        name: "script", program: program.path, arguments: words, readable: [inner.path], writable: [work.path]))
    try servers.write(folders)
    try await launching { launcher in
      let (_, end) = await lines(try await launcher.start(tool: "script"))
      #expect(RemoteError(try #require(end)).message.contains("exit code 1"), "it is started, and there is no secret")
      for (place, target) in [(inner, folders.data), (program, folders.data.appending(path: "secret"))] {
        try FileManager.default.removeItem(at: place)
        try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: target.path)
        #expect(await errorCode { _ = try await launcher.start(tool: "script") } == "tool_server_refused")
        try FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      }
      // Also where that is done between the look and the seal.
      try FileManager.default.removeItem(at: inner)
      try FileManager.default.createSymbolicLink(atPath: inner.path, withDestinationPath: folders.data.path)
      for (profile, error) in [(SealSpecification.Profile.tool, EACCES), (.engine, 0)] {
        let worker = try await echo(seal: SealSpecification(profile, readable: [inner.path]))
        #expect(try await worker.ask("open", "\(inner.path)/secret", for: Int32.self) == error)
        await worker.stop()
      }
    }
  }

  @Test("A program may read what it was installed with, and not a person's folders of all kinds")
  func installations() throws {
    func make(_ path: String) throws -> String {
      let file = base.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("#!/bin/sh\n".utf8).write(to: file)
      return file.path
    }
    let home = base.path
    for folder in ["tool/lib", ".local/lib", "lib", "bare/bin"] {
      try FileManager.default.createDirectory(at: base.appending(path: folder), withIntermediateDirectories: true)
    }
    func found(_ program: String) -> [String] { ToolServer.installations(of: program, home: home) }
    #expect(found(try make("tool/bin/one")).first == home + "/tool")
    for elsewhere in [
      try make(".local/bin/two"), try make("bin/three"), try make("bare/bin/four"), "/bin/sh", "/usr/bin/env",
    ] {
      #expect(found(elsewhere).isEmpty, "\(elsewhere)")
    }
    let link = base.appending(path: "linked/bin/python")
    try FileManager.default.createDirectory(at: base.appending(path: "linked/lib"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: base.appending(path: "linked/bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: home + "/tool/bin/one")
    #expect(found(link.path).map { ($0 as NSString).lastPathComponent } == ["linked", "tool"])
    try place.remove()
  }

  @Test("Names, programs and places that cannot be are refused")
  func refused() throws {
    for name in ["", "Notes", "../x", "a b", "-x", String(repeating: "a", count: 33)] {
      #expect(throws: ToolServerError.self, "\(name)") {
        try ToolServer(name: name, program: "/bin/sh", arguments: [])
      }
    }
    #expect(throws: ToolServerError.self) { try ToolServer(name: "x", program: "/nowhere/at-all", arguments: []) }
    #expect(throws: ToolServerError.self) {
      try ToolServer(name: "x", program: "/bin/sh", arguments: [], readable: ["/nowhere/at-all"])
    }
    #expect(try ToolServer(name: "x", program: "sh", arguments: [], path: "/nowhere:/bin").program == "/bin/sh")
  }
}
