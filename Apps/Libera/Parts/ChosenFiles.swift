import Foundation

/// Files that the person chose in the system's dialogue: readable only between its word and ours.
struct ChosenFiles: Sendable {
  let files: [URL]

  init(_ result: Result<[URL], any Error>) {
    switch result {
    case .success(let files): self.files = files
    // The dialogue was left, or the system could not show it and has said so itself.
    case .failure: files = []
    }
  }

  @MainActor func during(_ work: ([URL]) async -> Void) async {
    guard !files.isEmpty else { return }
    #if canImport(Darwin)
      let opened = files.filter { $0.startAccessingSecurityScopedResource() }
      defer { for file in opened { file.stopAccessingSecurityScopedResource() } }
    #endif
    await work(files)
  }
}
