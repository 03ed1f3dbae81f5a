#if !os(Linux)
  /// Apple's systems seal an app by its sandbox entitlements, which a process cannot take on by itself.
  package enum Seal {
    package static func worker(_ specification: SealSpecification, files: [CInt]) -> SealReport {
      .unsealed("this system has neither seccomp nor Landlock")
    }
    package static func refuseConnections() -> SealReport.Lock { .open("this system has no Landlock") }
    package static func main(connections: SealReport.Lock) -> SealReport {
      .unsealed("this system has neither seccomp nor Landlock")
    }
  }
#endif
