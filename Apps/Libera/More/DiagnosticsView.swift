import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// Where the time of the last answers went, and what failed: without a word of the person.
struct DiagnosticsView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    let screen = rooms.diagnostics
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      Section(words(.traces)) {
        if screen.traces.isEmpty { Text(words(.noTraces)).accessibilityIdentifier("traces.none") }
        ForEach(Array(screen.traces.enumerated()), id: \.offset) { place, trace in
          DisclosureGroup(words(.trace, words.moment(trace.began), milliseconds(trace.milliseconds))) { parts(trace) }
            .accessibilityIdentifier("trace.\(place)")
        }
      }
      Section(words(.errors)) {
        if screen.errors.isEmpty { Text(words(.noErrors)).accessibilityIdentifier("errors.none") }
        ForEach(Array(screen.errors.enumerated()), id: \.offset) { _, error in
          VStack(alignment: .leading) {
            Text(error.message)
            Text([words.moment(error.time), error.subsystem, error.code].joined(separator: " · ")).font(.footnote)
          }
          .accessibilityElement(children: .combine)
        }
      }
    }
    .navigationTitle(words(.diagnostics))
    .task { await screen.refresh() }
    .refreshable { await screen.refresh() }
  }

  @ViewBuilder private func parts(_ trace: AnswerTrace) -> some View {
    ForEach(Array(trace.phases.enumerated()), id: \.offset) { _, phase in
      LabeledContent(phase.name, value: milliseconds(phase.milliseconds))
    }
    ForEach(trace.names.sorted { $0.key < $1.key }, id: \.key) { name, value in LabeledContent(name, value: value) }
    ForEach(trace.numbers.sorted { $0.key < $1.key }, id: \.key) { name, value in
      LabeledContent(name, value: value.formatted(.number.precision(.fractionLength(0...1))))
    }
  }

  private func milliseconds(_ time: Double) -> String { "\(words.number(Int(time.rounded()))) ms" }
}
