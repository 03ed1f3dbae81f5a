import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// How much evidence an answer may have, and how near it must be.
struct RetrievalSettings: View {
  let settings: LiberaKit.Settings
  let screen: DeviceScreen
  @Environment(\.words) private var words

  var body: some View {
    Section {
      Picker(words(.passagesAtMost), selection: screen.setting(settings, \.passages)) {
        Text(words(.ofTheMode)).tag(Int?.none)
        ForEach(choices([3, 5, 8, 12, 20], settings.passages), id: \.self) { count in
          Text(words.number(count)).tag(Int?.some(count))
        }
      }
      .accessibilityIdentifier("settings.passages")
      Picker(words(.leastRelevance), selection: screen.setting(settings, \.threshold)) {
        Text(words(.ofTheMode)).tag(Double?.none)
        ForEach(choices([0.05, 0.1, 0.2, 0.3, 0.5], settings.threshold), id: \.self) { share in
          Text(words.share(share)).tag(Double?.some(share))
        }
      }
      .accessibilityIdentifier("settings.threshold")
    } header: {
      Text(words(.retrieval))
    } footer: {
      Text(words(.retrievalHint))
    }
  }

  /// What was set elsewhere can be seen here too.
  private func choices<Value: Comparable>(_ usual: [Value], _ now: Value?) -> [Value] {
    guard let now, !usual.contains(now) else { return usual }
    return (usual + [now]).sorted()
  }
}

extension DeviceScreen {
  /// A setting as a control takes it.
  func setting<Value: Sendable>(
    _ settings: LiberaKit.Settings, _ part: any WritableKeyPath<LiberaKit.Settings, Value> & Sendable
  ) -> Binding<Value> {
    Binding(
      get: { settings[keyPath: part] }, set: { new in Task { await self.change { $0[keyPath: part] = new } } })
  }
}
