#if !os(Linux)
  import CLinux

  /// Apple's systems seal an app by its sandbox entitlements, which a process cannot take on by itself.
  package enum Seal {
    @discardableResult
    package static func closeMemory() -> SealReport.Lock {
      libera_close_memory() == 0 ? .shut("no core files") : .open("core files are possible")
    }
    package static func worker(_ specification: SealSpecification, files: [CInt]) -> SealReport {
      .unsealed("this system has neither seccomp nor Landlock")
    }
    package static func keep(_ reach: HouseReach) -> SealReport.Lock { .open("this system has no Landlock") }
    package static func main(files: SealReport.Lock) -> SealReport {
      .unsealed("this system has neither seccomp nor Landlock")
    }
  }
#endif
