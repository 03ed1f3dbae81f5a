import DocumentEngine
import FetchEngine
import Foundation
import SpeechEngine
import TextEngine
import Workers

/// Becomes the worker that was asked for; never returns.
func start(_ role: String) -> Never {
  if role == "launcher" { LauncherHost.run() }
  if role == "rehearse-probe" { rehearseProbe() }
  if role.hasPrefix("rehearse-") { rehearse(role) }
  guard let kind = WorkerKind(rawValue: role) else {
    FileHandle.standardError.write(Data("libera-worker is started by libera, as one of its parts.\n".utf8))
    exit(EX_USAGE)
  }
  // The echo worker stands for any other in tests.
  let reachesGPU = kind == .echo || [.chat, .embed].contains(kind) && TextEngine.reachesGPU
  Host.run(kind: role, reachesGPU: reachesGPU) { _ in try engine(for: kind) }
}

/// One line per role.
private func engine(for kind: WorkerKind) throws -> any Engine {
  switch kind {
  case .chat, .embed: TextEngine()
  case .speech: SpeechEngine()
  case .parse: DocumentEngine()
  case .fetch: FetchEngine()
  case .echo: EchoEngine()
  }
}
