import Safety
import Testing

@Suite("A seal report")
struct SealReportTests {
  private let shut = SealReport(
    noNewPrivileges: .shut("no new privileges"), seccomp: .shut("seccomp"), landlock: .shut("Landlock version 7"),
    limits: .shut("limits"))

  @Test("Sealed means every lock shut and every attempt refused")
  func sealed() {
    var report = shut
    report.socketDenied = true
    report.fileDenied = true
    #expect(report.isSealed)
    #expect(report.summary == "sealed")
  }

  @Test("One open lock, or one attempt that succeeded, is not sealed, and says why")
  func unsealed() {
    var old = shut
    old.landlock = .open("Landlock is not available: Function not implemented")
    #expect(!old.isSealed)
    #expect(old.summary == "not sealed: Landlock is not available: Function not implemented")
    var leaky = shut
    leaky.socketDenied = false
    #expect(!leaky.isSealed)
    #expect(leaky.summary.contains("internet socket"))
    var open = shut
    open.fileDenied = false
    #expect(!open.isSealed)
  }

  @Test("A system without these locks gives its reason once")
  func other() {
    #expect(SealReport.unsealed("no seccomp here").summary == "not sealed: no seccomp here")
  }
}
