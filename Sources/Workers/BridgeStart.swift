import Core
import Foundation
import Safety

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A tool server elsewhere, as the launcher has it spoken to: by our worker program, which takes on the seal of fetch, writes what the
/// server says as lines to its standard output and sends there what it reads.
package struct BridgeStart: Codable, Sendable {
  /// The variable with the key, which stands on no command line.
  package static let key = "LIBERA_TOOL_KEY"
  /// The variable with whom it trusts, where that is told.
  package static let authority = "LIBERA_TOOL_AUTHORITY"
  private static let mostMemory: UInt64 = 512 << 20

  package let address: String

  init(_ address: String) { self.address = address }

  /// What it is told: the key, whom to trust, and by which proxy others are reached.
  static func environment(
    _ address: String, key: String?, authority: String? = nil,
    _ whole: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    let proxies: Set = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
    // A proxy would be sent what is for this machine alone.
    var told = WebAddress.isThisMachine(address) ? [:] : whole.filter { proxies.contains($0.key.lowercased()) }
    told[Self.key] = key
    told[Self.authority] = authority
    return told
  }

  /// Within the worker program, before any thread exists. It reads no files of the person and writes none.
  package func seal() throws {
    let report = Seal.worker(SealSpecification(.fetch, memoryBytes: Self.mostMemory), files: [])
    guard report.isSealed else { throw WorkerError.notStarted(program: "bridge", reason: report.summary) }
  }
}
