import Foundation
import Testing

private enum CardDriver {
  static let path = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
  static var isHere: Bool {
    guard let engine = ProcessInfo.processInfo.environment["LIBERA_ENGINE"] else { return false }
    return [path, engine + "/lib/libggml-vulkan.so"].allSatisfy(FileManager.default.fileExists(atPath:))
  }
}

/// With Mesa's driver that computes on the processor, as a person would be told to try it.
@Suite(
  "A graphics card on the command line", .enabled(if: Program.preparedPacks != nil, Program.needsPacks),
  .enabled(
    if: CardDriver.isHere,
    "no part for graphics cards (LIBERA_GPU=vulkan ./libera setup) or no driver (mesa-vulkan-drivers)"))
struct CardJourneyTests {
  private func program(compute: String) async throws -> Program {
    var program = try Program(withPacks: true)
    program.environment["GGML_VK_VISIBLE_DEVICES"] = "0"
    program.environment["VK_ICD_FILENAMES"] = CardDriver.path
    #expect(try await program.run("settings", "set", "compute", compute).status == 0)
    return program
  }

  private func doctor(_ program: Program) async throws -> String {
    let report = try #require(try await program.run("doctor", "--json").objects.first)
    let checks = try #require(report["checks"] as? [[String: Any]])
    return try #require(checks.first { $0["name"] as? String == "graphics card" }?["detail"] as? String)
  }

  @Test("With compute = gpu it is named, packs are judged by it, and one is loaded onto it and writes")
  func used() async throws {
    let program = try await program(compute: "gpu")
    #expect(try await doctor(program).contains(" is used, with "))
    let pack = "smollm2-135m-instruct-q4_1"
    let fit = try #require(try await program.run("packs", "fit", pack, "--json").objects.first)
    let share = try #require(fit["card"] as? [String: Any])
    #expect(share["layers"] as? Int == 31 && share["of"] as? Int == 31)
    #expect((fit["reason"] as? String)?.contains("; all 31 layers on ") == true)
    let smoke = try await program.run("packs", "smoke", pack, "--json")
    let result = try #require(try smoke.objects.first, "\(smoke.errors)")
    #expect((result["backend"] as? String)?.hasPrefix("a graphics card (all 31 layers on ") == true)
    #expect((result["text"] as? String)?.contains("Paris") == true, "\(result)")
  }

  @Test("With cpu, and where it is left to the program, one without memory of its own is not used, with the reason")
  func notUsed() async throws {
    for (compute, reason) in [("cpu", "the setting compute is cpu"), ("automatic", "has no memory of its own")] {
      let program = try await program(compute: compute)
      #expect(try await doctor(program).contains(reason))
      let fit = try #require(
        try await program.run("packs", "fit", "smollm2-135m-instruct-q4_1", "--json").objects.first)
      #expect(fit["card"] == nil)
    }
  }
}
