import Core
import Foundation
import Safety
import TestSupport
import Testing
import Workers

/// Asks the kernel, from inside each kind of process, and compares with what docs/sealing.md says.
@Suite("What the seals hold")
struct ProbeTests {
  private struct Place: Codable {
    var own: String
    var home: String
    var mailbox: String
    var other: Int
  }
  private struct Question: Encodable {
    var name: String
    var place: Place
  }

  @Test("Every attempt ends in each kind of process as the table says")
  func table() async throws {
    let scene = try Scene()
    defer { scene.remove() }
    let promised = try Self.promised()
    let names = try await Self.names()
    #expect(promised.map(\.name) == names, "the table has other rows")
    let main = try scene.main()
    let worker = try await outcomes(names, in: scene) { try await echo(seal: scene.seal(.engine)) }
    let card = try await outcomes(names, in: scene) {
      try await Worker.start(.echo, seal: scene.seal(.gpuEngine), environment: [GraphicsCard.variable: "0"])
    }
    let launcher = try Launcher(scene.folders)
    let fetch = try await outcomes(names, in: scene) { try await launcher.start(.echo) }
    await launcher.stop()
    let tool = try await outcomes(names, in: scene) { try await echo(seal: scene.seal(.tool)) }
    let connected = try await outcomes(names, in: scene) { try await echo(seal: scene.seal(.connectedTool)) }
    for name in names {
      let row = promised.first { $0.name == name }?.outcomes ?? []
      let found = [main, worker, card, fetch, tool, connected].map { $0[name] ?? "?" }
      #expect(row == found, "| \(name) | \(found.joined(separator: " | ")) |")
    }
  }

  #if os(Linux)
    @Test("The page names every call that an engine may make, and every one that the others may not")
    func calls() throws {
      let page = try Self.page()
      func named(_ heading: String) -> Set<String> {
        let lines = page.split(separator: "\n").drop { $0 != "### \(heading)" }.dropFirst().prefix {
          !$0.hasPrefix("#")
        }
        return Set(
          lines.joined(separator: " ").split(separator: "`", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
          }.map {
            String($0.element)
          })
      }
      let lists: [(heading: String, calls: Set<String>)] = [
        ("What engines may call", Seal.calls(of: .engine).allowed),
        (
          "What engines with a graphics card may call as well",
          Seal.calls(of: .gpuEngine).allowed.subtracting(Seal.calls(of: .engine).allowed)
        ),
        ("What the main process may not call", Seal.calls(of: nil).refused),
        ("What fetch may not call", Seal.calls(of: .fetch).refused),
        ("What a tool server without network may not call", Seal.calls(of: .tool).refused),
      ]
      for (heading, calls) in lists {
        let words = calls.sorted().map { "`\($0)`" }.joined(separator: " ")
        #expect(named(heading) == calls, "### \(heading): \(words)")
      }
    }
  #endif

  /// A worker that an attempt has ended is followed by another.
  private func outcomes(
    _ names: [String], in scene: Scene, _ start: () async throws -> Worker
  ) async throws -> [String: String] {
    var found: [String: String] = [:]
    var worker = try await start()
    for name in names {
      do {
        found[name] = try await worker.ask("probe", Question(name: name, place: scene.place), for: String.self)
      } catch let error where RemoteError(error).code == "worker_died" {
        found[name] = RemoteError(error).message.contains("signal SYS") ? "ends the process" : "?"
        worker = try await start()
      }
    }
    await worker.stop()
    return found
  }

  private static func names() async throws -> [String] {
    let worker = try await echo()
    let names = try await worker.ask("probes", "", for: [String].self)
    await worker.stop()
    return names
  }

  private static func page() throws -> String { try Checkout.text("docs/sealing.md") }

  private static func promised() throws -> [(name: String, outcomes: [String])] {
    let lines = try page().split(separator: "\n").drop { !$0.hasPrefix("| attempt") }.dropFirst(2).prefix {
      $0.hasPrefix("|")
    }
    return lines.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return (cells[0], Array(cells.dropFirst()))
    }
  }

  /// Folders of the process's own and of the person's, with a file each, and a socket that takes datagrams.
  private final class Scene {
    let place: Place
    private let folder: URL
    private let mailbox: Mailbox
    /// The launcher lets what it starts write into the staging folder of these, and nowhere else.
    let folders: Folders

    init() throws {
      folder = try scratch()
      folders = Folders(home: folder.appending(path: "house"))
      place = Place(
        own: folders.packs.appending(path: ".staging").path, home: folder.path + "/home",
        mailbox: folder.appending(path: "box").path,
        other: Int(getpid()))
      for path in [place.own, place.home] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: path + "/file"))
      }
      mailbox = try Mailbox(URL(filePath: place.mailbox))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func seal(_ profile: SealSpecification.Profile) -> SealSpecification {
      SealSpecification(profile, writable: [place.own])
    }

    func main() throws -> [String: String] {
      let words = ["rehearse-probe", place.own, place.home, place.mailbox, "\(place.other)"]
      let (status, text) = try Tool.run([WorkerProgram.find(.echo)] + words)
      try #require(status == 0)
      let pairs = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    }
  }
}
