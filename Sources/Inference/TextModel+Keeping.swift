import Core
import Foundation
import Workers

extension TextModel {
  func keepPrompt(of loaded: Loaded) async {
    guard let conversationRead, loaded.worker.isAlive, let prompts else { return }
    let request = KeptPromptRequest(stamp: stamp(loaded.info), mostBytes: KeptPrompts.mostBytes)
    await prompts.keep(name, readAt: conversationRead) { file in
      let files = [file.fileDescriptor]
      return try await loaded.worker.ask("keep", request, files: files, deadline: .seconds(10), for: Int.self) > 0
    }
  }

  /// A worker that has just loaded the pack goes on where the one before it ended; what cannot be taken up is read anew.
  func takeUpPrompt(_ loaded: Loaded) async throws {
    guard let prompts else { return }
    // What is removed from here on is not kept again.
    let now = prompts.now
    guard let file = prompts.take(name) else { return }
    defer { withExtendedLifetime(file) {} }
    let request = KeptPromptRequest(stamp: stamp(loaded.info), mostBytes: KeptPrompts.mostBytes)
    do {
      let tokens = try await loaded.worker.ask("takeUp", request, files: [file.fileDescriptor], for: Int.self)
      conversationRead = tokens > 0 ? now : nil
    } catch {
      try Task.checkCancellation()
      prompts.onTrouble(error)
    }
  }

  private var name: String { pack.deletingLastPathComponent().lastPathComponent }

  /// Whatever a state depends on.
  private func stamp(_ info: ModelInfo) -> String {
    let form = "\(request.kvType) \(request.flashAttention.map { "\($0)" } ?? "as the engine likes") \(info.backend)"
    return "\(Version.engine), \(pack.lastPathComponent), \(form)"
  }
}

extension Caller {
  /// The program that asks; nil: the person.
  var program: String? {
    switch self {
    case .terminal, .page: nil
    case .key(let id, _): id
    case .stranger: ""
    }
  }
}
