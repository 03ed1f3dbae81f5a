import Foundation
import Testing

@testable import Core

@Suite("Programs that send mail")
struct MailProgramTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID().uuidString)")

  private func program(_ name: String, mode: mode_t = 0o700) throws -> String {
    try Folders.make(folder)
    let file = folder.appending(path: name)
    try Data("#!/bin/sh\n".utf8).write(to: file)
    chmod(file.path, mode)
    return file.path
  }

  @Test(
    "The known ones are accepted with what they are usually told",
    arguments: [
      "/usr/bin/msmtp -t", "/usr/bin/msmtp -a work -t", "/usr/sbin/sendmail -t -oi -f ada@example.org",
      "/usr/sbin/exim4 -t -i",
      "/usr/sbin/ssmtp -t", "/usr/bin/nullmailer-inject",
    ])
  func known(_ command: String) throws { _ = try MailProgram(command) }

  @Test(
    "Any other program is refused, and any argument that names a configuration, a file or a program",
    arguments: [
      "", " ", "msmtp -t", "./msmtp", "/bin/sh -c id", "/usr/bin/env sendmail", "/usr/bin/msmtp -C /tmp/x",
      "/usr/bin/msmtp --file=/tmp/x",
      "/usr/bin/msmtp -X /tmp/log", "/usr/bin/msmtp --passwordeval=id", "/usr/bin/msmtp --host=example.org",
      "/usr/bin/msmtp --proxy-host x",
      "/usr/sbin/exim4 -be ${run{id}}", "/usr/sbin/exim4 -C /tmp/x", "/usr/sbin/exim4 -DX=y",
      "/usr/sbin/sendmail -oQ/tmp -t",
      "/usr/sbin/sendmail -X/tmp/x", "/usr/sbin/sendmail -t -f -oQ", "/usr/sbin/sendmail -f", "/usr/sbin/sendmail -bt",
      "/usr/sbin/sendmail\t-t",
      "/usr/bin/msmtp -a x;id", "/usr/bin/msmtp -t\nid", "/usr/bin/curl", "/usr/bin/msmtp eve@example.org",
    ])
  func unknown(_ command: String) {
    #expect { try MailProgram(command) } throws: { RemoteError($0).code == "setting_refused" }
  }

  @Test("Its file is a program of the system's or the person's own that nobody else may change")
  func file() throws {
    try MailProgram(program("msmtp") + " -t").check()
    let other = try program("sh")
    symlink(other, folder.appending(path: "sendmail").path)
    for (path, part) in [
      (folder.appending(path: "sendmail").path, "another name"), (try program("exim", mode: 0o722), "others may write"),
      (try program("exim4", mode: 0o720), "others may write"), (try program("dma", mode: 0o600), "no program"),
      (folder.appending(path: "esmtp").path, "No such file"),
    ] {
      #expect { try MailProgram(path).check() } throws: { RemoteError($0).message.contains(part) }
    }
    #expect(throws: MailProgramError.self) { try MailProgram(program("msmtp")).check(outside: [folder]) }
    chmod(folder.path, 0o777)
    #expect(throws: MailProgramError.self) { try MailProgram(program("msmtp")).check() }
  }

  @Test("It is told where the person's configuration lies, and nothing that changes what it loads")
  func environment() {
    let whole = [
      "HOME": "/home/ada", "LD_PRELOAD": "/x.so", "PATH": "/tmp", "BASH_ENV": "/x", "PERL5LIB": "/x", "LANG": "C",
    ]
    let kept = MailProgram.environment(whole)
    #expect(kept["HOME"] == "/home/ada" && kept["LANG"] == "C" && kept["PATH"]?.contains("tmp") == false)
    #expect(Set(kept.keys) == ["HOME", "LANG", "PATH"])
  }
}
