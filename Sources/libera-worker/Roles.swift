import Core
import DocumentEngine
import FetchEngine
import Foundation
import Models
import Safety
import SpeechEngine
import TextEngine
import Workers

/// Becomes the worker that was asked for; never returns. `told` is what the launcher is told at its start, and what it tells its
/// own workers.
func start(_ role: String, _ told: String?) -> Never {
  if role == "rehearse-probe" { rehearseProbe() }
  if role.hasPrefix("rehearse-") { rehearse(role) }
  let data = told.map { Data($0.utf8) }
  do {
    if role == "launcher", let data { launch(try JSON.decode(LauncherSetup.self, from: data)) }
    try work(role, seal: data.map { try JSON.decode(SealSpecification.self, from: $0) })
  } catch {
    FileHandle.standardError.write(Data("libera-worker: \(error)\n".utf8))
    exit(EX_USAGE)
  }
}

/// What the fetch worker needs of the system's tools is looked up now, before anything foreign is read.
private func launch(_ setup: LauncherSetup) -> Never {
  var tools: Tools?
  do { tools = try Tools.locate(cache: setup.folders.cache, scripts: Installation().packs) } catch {
    // The main process looks too, and says what is wrong before it asks for a fetch.
  }
  LauncherHost.run(
    setup, readable: tools?.readable ?? [], environment: tools.map { [Tools.variable: $0.python] } ?? [:])
}

private func work(_ role: String, seal: SealSpecification?) throws -> Never {
  guard let kind = WorkerKind(rawValue: role) else {
    FileHandle.standardError.write(Data("libera-worker is started by libera, as one of its parts.\n".utf8))
    exit(EX_USAGE)
  }
  // The echo worker stands for any other in tests.
  let reachesGPU = kind == .echo || [.chat, .embed].contains(kind) && TextEngine.reachesGPU
  Host.run(kind: role, seal: seal, reachesGPU: reachesGPU) { _ in try engine(for: kind) }
}

/// One line per role.
private func engine(for kind: WorkerKind) throws -> any Engine {
  switch kind {
  case .chat, .embed: TextEngine()
  case .speech: SpeechEngine()
  case .parse: DocumentEngine()
  case .fetch: FetchEngine(try fetchBounds())
  case .echo: EchoEngine()
  }
}

/// The launcher says which Python it found by the variable that names it.
private func fetchBounds() throws -> FetchBounds {
  let scripts = try Installation().packs
  let python = ProcessInfo.processInfo.environment[Tools.variable]
  return FetchBounds(
    try Catalogue(at: scripts.appending(path: "catalogue.json")),
    python.map { Tools(python: $0, scripts: scripts.path) })
}
