import ConvertEngine
import Core
import DocumentEngine
import FetchEngine
import Foundation
import Models
import Safety
import SpeechEngine
import TextEngine
import Workers

/// Becomes the worker that was asked for; never returns. `told` is what the launcher is told at its start, and what it tells
/// those whom it starts.
func start(_ role: String, _ told: String?) -> Never {
  let data = told.map { Data($0.utf8) }
  do {
    if role == "launcher", let data { launch(try JSON.decode(LauncherSetup.self, from: data)) }
    if role == "tool", let data { try JSON.decode(ToolStart.self, from: data).become() }
    if role == "bridge" {
      let start = BridgeStart()
      try start.seal()
      ToolBridge(start).run()
    }
    try work(role, seal: data.map { try JSON.decode(SealSpecification.self, from: $0) })
  } catch {
    FileHandle.standardError.write(Data("libera-worker: \(error)\n".utf8))
    exit(EX_USAGE)
  }
}

/// Where packages are listed is looked up by the launcher: the fetch worker sees no settings of the person's.
private func launch(_ setup: LauncherSetup) -> Never {
  LauncherHost.run(setup) {
    // Without an installation there is no catalogue either, which the fetch worker reports.
    let index = PackageIndex.locate(
      environment: ProcessInfo.processInfo.environment, home: FileManager.default.homeDirectoryForCurrentUser,
      installed: (try? Installation())?.packs)
    return [PackageIndex.variable: index ?? ""]
  }
}

private func work(_ role: String, seal: SealSpecification?) throws -> Never {
  guard let kind = WorkerKind(rawValue: role) else {
    FileHandle.standardError.write(Data("libera-worker is started by libera, as one of its parts.\n".utf8))
    exit(EX_USAGE)
  }
  if kind == .sound { SoundDecoder.prepare() }
  // Fetch reads the catalogue while it still may; all others are made within their seals.
  let fetch = kind == .fetch ? Result { try fetchEngine() } : nil
  Host.run(
    kind: role, seal: seal,
    reachesCard: { [.chat, .embed].contains(kind) && TextEngine.reachesCard() },
    engine: { _ in try fetch?.get() ?? engine(for: kind) })
}

/// One line per role.
private func engine(for kind: WorkerKind) throws -> any Engine {
  switch kind {
  case .chat, .embed: TextEngine()
  case .speech: SpeechEngine()
  case .sound: SoundDecoder()
  case .parse: DocumentEngine()
  case .convert: ConvertEngine()
  case .fetch: try fetchEngine()
  case .echo: throw WorkerError.noEngine(kind.rawValue)
  }
}

/// The launcher says by variables which repositories are permitted and where packages are listed. Where the hub is, or a mirror of it,
/// the person says by the variable that other programs read too.
private func fetchEngine() throws -> FetchEngine {
  let environment = ProcessInfo.processInfo.environment
  let repositories = (environment[LauncherHost.repositories] ?? "").split(separator: " ").map(String.init)
  let bounds = FetchBounds(
    try Catalogue(at: Installation().packs.appending(path: "catalogue.json")), repositories: repositories,
    release: environment[LauncherHost.release].flatMap { $0.isEmpty ? nil : $0 })
  let mirror = environment["HF_ENDPOINT"].map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  return FetchEngine(
    bounds, hub: mirror ?? FetchEngine.hub,
    index: environment[PackageIndex.variable].flatMap { $0.isEmpty ? nil : $0 })
}
