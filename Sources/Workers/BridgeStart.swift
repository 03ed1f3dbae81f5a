import Core
import Foundation
import Safety

/// A tool server elsewhere, as the launcher has it spoken to: by our worker program, which takes on the seal of fetch, writes what the
/// server says as lines to its standard output and sends there what it reads.
package struct BridgeStart: Sendable {
  // Variables: a command line is everybody's to read, and an address may hold a secret like a key.
  private static let addressVariable = "LIBERA_TOOL_ADDRESS"
  private static let keyVariable = "LIBERA_TOOL_KEY"
  private static let authorityVariable = "LIBERA_TOOL_AUTHORITY"
  private static let mostMemory: UInt64 = 512 << 20

  package let address: String
  package let key: String?
  /// Whom it trusts, where that is told.
  package let authority: String?

  package init(address: String, key: String?, authority: String?) {
    (self.address, self.key, self.authority) = (address, key, authority)
  }

  /// Within the worker program, from what `environment` gave it.
  package init(told: [String: String] = ProcessInfo.processInfo.environment) {
    self.init(
      address: told[Self.addressVariable] ?? "", key: told[Self.keyVariable], authority: told[Self.authorityVariable])
  }

  /// What it is told: the address, the key, whom to trust, and by which proxy others are reached.
  static func environment(
    _ address: String, key: String?, authority: String? = nil,
    _ whole: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    let proxies: Set = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
    // A proxy would be sent what is for this machine alone.
    var told = WebAddress.isThisMachine(address) ? [:] : whole.filter { proxies.contains($0.key.lowercased()) }
    told[Self.addressVariable] = address
    told[Self.keyVariable] = key
    told[Self.authorityVariable] = authority
    return told
  }

  /// Within the worker program, before any thread exists. It reads no files of the person and writes none.
  package func seal() throws {
    let report = Seal.worker(SealSpecification(.fetch, memoryBytes: Self.mostMemory), files: [])
    guard report.isSealed else { throw WorkerError.notStarted(program: "bridge", reason: report.summary) }
  }
}
