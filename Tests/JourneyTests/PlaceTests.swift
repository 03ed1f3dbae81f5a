import Foundation
import Testing

@Suite("Data folders that cannot be used")
struct PlaceTests {
  @Test(
    "A home that cannot be a folder is named in a clear error",
    arguments: [["doctor"], ["packs", "list"], ["ask", "Hello?"]])
  func notAFolder(words: [String]) async throws {
    let program = try Program()
    let file = program.home.appending(path: "file")
    try Data().write(to: file)
    for place in [file.path, "/dev/null/home"] {
      let environment = program.environment
      let running = try Running(
        [try Program.binary.path] + words + ["--json", "--home", place], environment: environment, input: Data())
      let outcome = try await running.outcome()
      #expect(outcome.status == 1)
      #expect(outcome.errorCode == "file_unusable", "\(outcome.errors)")
      #expect(outcome.errors.contains(place))
      #expect(!outcome.errors.contains("NSCocoa"))
    }
  }

  @Test(
    "A data folder that cannot be written to is named in a clear error",
    .enabled(if: Namespaces.areAllowed, "this machine does not let a person make namespaces"))
  func readOnly() async throws {
    let program = try Program()
    let outcome = try await program.run(
      "ask", "Hello?", "--json", through: Namespaces.mounting("ro", at: program.home))
    #expect(outcome.status == 1)
    #expect(outcome.errorCode == "data_folder", "\(outcome.errors)")
    #expect(outcome.errors.contains("Read-only"))
  }

  @Test(
    "A full disk refuses a pull before its first byte, and everything else with a clear error",
    .enabled(if: Namespaces.areAllowed, "this machine does not let a person make namespaces"))
  func full() async throws {
    let program = try Program()
    let pull = try await program.run(
      "packs", "pull", "smollm2-135m-instruct-q4_1", "--json",
      through: Namespaces.mounting("size=2m", at: program.home))
    #expect(pull.status == 4)
    #expect(pull.errorCode == "not_enough_space", "\(pull.errors)")
    let ask = try await program.run(
      "ask", "Hello?", "--json", through: Namespaces.mounting("size=8k", at: program.home))
    #expect(ask.status == 4)
    #expect(ask.errorCode == "disk_full", "\(ask.errors)")
  }
}
