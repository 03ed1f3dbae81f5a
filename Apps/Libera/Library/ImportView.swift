import LiberaKit
import LiberaScreens
import SwiftUI

/// The files of an import, each with how far it is or how it ended.
struct ImportView: View {
  let screen: LibraryScreen
  @Environment(\.words) private var words

  var body: some View {
    if screen.isImporting || !screen.imports.lines.isEmpty {
      Section(words(.importing)) {
        if screen.isImporting, screen.imports.lines.isEmpty {
          ProgressView(words(.beginning)).accessibilityIdentifier("import.beginning")
        }
        ForEach(screen.imports.lines) { line in ImportLineView(line: line) }
        if let summary = screen.imports.summary {
          Text(
            words(
              .imported, words.number(summary.imported), words.number(summary.skipped), words.number(summary.failed))
          ).accessibilityIdentifier("import.summary")
        }
        if screen.isImporting {
          Button(words(.stop), systemImage: "stop.fill") { screen.stop() }.accessibilityIdentifier("import.stop")
        }
      }
    }
  }
}

struct ImportLineView: View {
  let line: ImportLine
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      Text(line.document)
      switch line.stage {
      case .reading(let progress): ProgressView(reading(progress), value: line.share)
      case .done(let passages, let note):
        Label(words(.taken, words.number(passages)), systemImage: "checkmark.circle")
        if let note { Text(note) }
      case .skipped(let reason): Label(words(.skipped, reason), systemImage: "arrow.right.circle")
      case .failed(let reason): Label(words(.failed, reason), systemImage: "exclamationmark.triangle")
      }
    }
    .font(.footnote)
    .accessibilityElement(children: .combine)
    .accessibilityIdentifier("import.\(line.document)")
  }

  private func reading(_ progress: ImportProgress) -> String {
    guard let read = progress.pagesRead, let pages = progress.pages else { return words(.beginning) }
    return words(.readingPage, words.number(read), words.number(pages))
  }
}
