import Testing

@testable import Assistant

@Suite("The service that keeps libera running")
struct UserServiceTests {
  @Test(
    "It is told the home it was installed with, and where data lies otherwise; nothing of either is taken for syntax")
  func places() {
    let plain = UserService.text(program: "/usr/bin/libera", home: nil)
    #expect(plain.contains("ExecStart=\"/usr/bin/libera\" serve --no-open\n"))
    #expect(!plain.contains("Environment"))
    let own = UserService.text(
      program: "/opt/my libera/libera", home: "/data/100%/$HOME",
      environment: ["XDG_DATA_HOME": "/big/\"data\"", "PATH": "/bin"])
    #expect(own.contains("ExecStart=\"/opt/my libera/libera\" serve --no-open --home \"/data/100%%/$$HOME\"\n"))
    #expect(own.contains("[Service]\nEnvironment=\"XDG_DATA_HOME=/big/\\\"data\\\"\"\nExecStart"))
    #expect(!own.contains("PATH"))
    #expect(own.contains("\nRestart=always\nRestartSec=5\nRestartPreventExitStatus=203\n"))
  }
}
