import Foundation
import LiberaKit
import SwiftUI

/// What went wrong and what to do next, until the person has read it.
struct ProblemView: View {
  let problem: LiberaError?
  let dismiss: @MainActor () -> Void
  @Environment(\.words) private var words

  var body: some View {
    if let problem {
      VStack(alignment: .leading) {
        Label(problem.message, systemImage: "exclamationmark.triangle").accessibilityIdentifier("problem")
        if let remedy = problem.remedy { Text(remedy).font(.callout) }
        Button(words(.understood), action: dismiss).accessibilityIdentifier("problem.dismiss")
      }
      .padding()
      .background(.quaternary, in: RoundedRectangle(cornerRadius: 12))
    }
  }
}
