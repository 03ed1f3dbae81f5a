import Assistant
import Core
import Foundation
import Testing

@testable import Server

/// The real server and the real page over a house of cardboard, for the browser tests: every state the page can show can be
/// had at will, in the shapes the operations have. Runs only when LIBERA_STAGE names a folder, until a file "stop" is there.
@Suite("The stage")
struct Stage {
  @Test(
    "The stage serves until it is told to stop",
    .enabled(if: ProcessInfo.processInfo.environment["LIBERA_STAGE"] != nil))
  func serve() async throws {
    let folder = URL(filePath: try #require(ProcessInfo.processInfo.environment["LIBERA_STAGE"]))
    let port = UInt16(ProcessInfo.processInfo.environment["LIBERA_STAGE_PORT"] ?? "0") ?? 0
    let props = Props(folder: folder)
    let folders = Folders(home: folder.appending(path: "home"), environment: ["HOME": folder.path])
    let server = try Server(
      LoopbackSockets.open(port: port), folders: folders, services: props.services,
      routes: TextDesk(SampleSource(), ask: props.services.first { $0.name == "ask" }).completionRoutes)
    try server.start()
    let keys = server.access.keys
    if try keys.list().contains(where: { $0.name == "stage" }) { try keys.revoke("stage") }
    let key = try keys.add("stage", Set(Right.allCases))
    try Data(key.utf8).write(to: folder.appending(path: "token"), options: .atomic)
    try Data(server.link().utf8).write(to: folder.appending(path: "address"), options: .atomic)
    while !FileManager.default.fileExists(atPath: folder.appending(path: "stop").path) {
      try await Task.sleep(for: .milliseconds(100))
    }
    await server.stop()
  }
}
