/// What a process found when it looked at its own locks. Every field is what the kernel answered, never what was hoped for.
package struct SealReport: Codable, Sendable, Equatable {
  /// One lock: shut, or open with the reason.
  package struct Lock: Codable, Sendable, Equatable {
    package var shut: Bool
    package var detail: String

    package static func shut(_ detail: String) -> Lock { Lock(shut: true, detail: detail) }
    package static func open(_ detail: String) -> Lock { Lock(shut: false, detail: detail) }
  }

  /// What was applied, which may be narrower than what was asked for; nil: not a worker.
  package var profile: SealSpecification.Profile?
  package var noNewPrivileges: Lock
  package var seccomp: Lock
  package var landlock: Lock
  /// Resource limits, the raised out-of-memory score, dropped capabilities.
  package var limits: Lock
  /// The process really tried to make an internet socket and could not. nil: it is meant to have a network.
  package var socketDenied: Bool?
  /// The process really tried to open a file outside its folders and could not. nil: its files are not restricted.
  package var fileDenied: Bool?

  package init(noNewPrivileges: Lock, seccomp: Lock, landlock: Lock, limits: Lock) {
    self.noNewPrivileges = noNewPrivileges
    self.seccomp = seccomp
    self.landlock = landlock
    self.limits = limits
  }

  package static func unsealed(_ reason: String) -> SealReport {
    SealReport(
      noNewPrivileges: .open(reason), seccomp: .open(reason), landlock: .open(reason), limits: .open(reason))
  }

  /// True only if the locks this process should have are shut and the attempts to get past them failed.
  package var isSealed: Bool {
    noNewPrivileges.shut && seccomp.shut && landlock.shut && socketDenied != false && fileDenied != false
  }

  /// "sealed", or "not sealed: ..." with every reason.
  package var summary: String {
    var reasons = [noNewPrivileges, seccomp, landlock].filter { !$0.shut }.map(\.detail)
    if socketDenied == false { reasons.append("an internet socket could be opened") }
    if fileDenied == false { reasons.append("a file outside its folders could be opened") }
    var seen = Set<String>()
    return reasons.isEmpty
      ? "sealed" : "not sealed: " + reasons.filter { seen.insert($0).inserted }.joined(separator: "; ")
  }
}
