import Foundation
import TestSupport
import Testing

@Suite("Packs from where an authority of the person's own vouches", .enabled(if: Certificate.canBeMade))
struct AuthorityTests {
  @Test(
    "The file that the shell names is what the fetch worker trusts, and without it nothing is fetched",
    arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
  func named(variable: String) async throws {
    var own: Certificate?
    var rig = try PullRig { folder in
      own = try Certificate("own", in: folder)
      return own
    }
    try rig.describe(behaviour: "good/0")
    for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] { rig.program.environment[name] = nil }
    let refused = try await rig.program.run("packs", "pull", "tiny")
    #expect(refused.status != 0 && refused.errors.contains("certificate"), "\(refused.errors)")
    #expect(try rig.server.requests().isEmpty)
    rig.program.environment[variable] = try #require(own).file.path
    let pull = try await rig.program.run("packs", "pull", "tiny")
    #expect(pull.status == 0, "\(pull.errors)")
    #expect(try await rig.isInstalled())
  }
}
