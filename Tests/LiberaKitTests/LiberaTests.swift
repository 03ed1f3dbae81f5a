import Core
import Foundation
import Testing

@testable import LiberaKit

@Suite("The library that an app links")
struct LiberaTests {
  @Test("Two cannot have one home at a time, and the second is told so")
  func oneOwner() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { _ in
      await #expect { try await home.open() } throws: { ($0 as? LiberaError)?.code == "folder_in_use" }
    }
    // Closed, it can be opened again.
    let again = try KitHome(withPacks: false)
    await (try again.open()).close()
    await (try again.open()).close()
    try FileManager.default.removeItem(at: again.base)
  }

  @Test("Without a pack the answer says what is missing")
  func withoutPacks() async throws {
    try await KitHome(withPacks: false).during { libera in
      let answer = try await libera.answer("What is the capital of France?")
      #expect(answer.provider == "templates" && answer.answer.contains("No chat pack is installed"))
      #expect(try await libera.packs.list().contains { $0.kind == .chat && !$0.isInstalled })
      await #expect { try await libera.transcribe(URL(filePath: "/nonexistent.wav")) } throws: { $0 is LiberaError }
    }
  }

  @Test("Settings are changed by name, held to what they can be, and kept")
  func settings() async throws {
    let home = try KitHome(withPacks: false)
    let libera = try await home.open()
    let changed = try await libera.settings.change {
      $0.mode = .deep
      $0.vocabulary = ["Libera"]
      $0.automaticStopMs = nil
    }
    #expect(changed.mode == .deep && changed.automaticStopMs == nil)
    await #expect { try await libera.settings.change { $0.threads = -4 } } throws: {
      ($0 as? LiberaError)?.code == "setting_refused"
    }
    await libera.close()
    let again = try await home.open()
    #expect(try await again.settings.current() == changed)
    await again.close()
  }

  @Test("Only what was changed is set")
  func differences() throws {
    var after = Settings()
    #expect(try SettingsRoom.differences(Settings(), after).isEmpty)
    after.pack = "a"
    after.idleUnloadMinutes = 3
    let found = try SettingsRoom.differences(Settings(), after)
    #expect(found.map(\.name) == ["idleUnloadMinutes", "pack"] && found.map(\.value) == ["3", "\"a\""])
    #expect(try SettingsRoom.differences(after, Settings()).map(\.value) == ["10", "null"])
  }

  @Test("Everything it keeps is its owner's alone, whatever the program's own mask is")
  func privateFiles() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      _ = try await collected(libera.import([home.write(Data("A note about rent.".utf8), to: "note.txt")]))
      _ = try await libera.answer("What about rent?", AskOptions(conversation: UUID()))
      _ = try await libera.perform("note that the rent is due", confirmed: true)
      for path in try FileManager.default.subpathsOfDirectory(atPath: home.home.path) {
        let attributes = try FileManager.default.attributesOfItem(atPath: home.home.appending(path: path).path)
        let mode = try #require(attributes[.posixPermissions] as? Int)
        #expect(mode & 0o077 == 0, "\(path): \(String(mode, radix: 8))")
      }
    }
  }

  @Test(
    "Where the worker is installed, the same is done by sealed processes",
    arguments: [Engines.sealedProcesses, .inProgram])
  func engines(engines: Engines) async throws {
    let home = try KitHome(withPacks: false)
    let libera = try await Libera(home: home.home, caches: home.caches, engines: engines)
    let told = try await collected(libera.import([home.lease()]))
    guard case .finished(imported: 1, skipped: 0, failed: 0, _) = told.last else { return _ = Issue.record("\(told)") }
    let quoted = try await libera.answer("How long is the notice period?", AskOptions(provider: .extractive))
    #expect(quoted.citations.contains { $0.page == 2 })
    await libera.close()
  }

  @Test("The licences of every part can be shown")
  func licences() async throws {
    try await KitHome(withPacks: false).during { libera in
      let licences = try await libera.licences()
      #expect(licences.contains("llama.cpp"))
    }
  }

  @Test(
    "The example is the program the page on LiberaKit shows, and it runs",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  func example() async throws {
    let home = try KitHome()
    let command = KitHome.hasRecordings ? KitHome.reminder.path : "remind me tomorrow at seven to call John"
    let process = Process()
    process.executableURL = Installation.programs.appending(path: "example-ask")
    process.arguments = [home.home.path, try home.lease().path, "How long is the notice period?", command]
    process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": home.caches.path]) { $1 }
    let output = try home.write(Data(), to: "output")
    process.standardOutput = try FileHandle(forWritingTo: output)
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    let text = try String(contentsOf: output, encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("page 2: ") && text.contains("three months"), "\(text)")
    #expect(text.contains("done: Reminder: ") && text.contains("taken back: true"), "\(text)")
  }
}
