import LiberaKit
import LiberaScreens
import SwiftUI

/// Fast or Deep for the next questions.
struct ModePicker: View {
  let chat: ChatScreen
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    Picker(words(.mode), selection: mode) {
      Text(words(.fast)).tag(Mode.fast)
      Text(words(.deep)).tag(Mode.deep)
    }
    .pickerStyle(.segmented)
    .accessibilityHint(words(.modeHint))
    .accessibilityIdentifier("chat.mode")
  }

  private var mode: Binding<Mode> {
    let (chat, device) = (chat, rooms.device)
    return Binding(get: { chat.mode ?? device.settings?.mode ?? .fast }, set: { chat.mode = $0 })
  }
}

/// What the device gives less of at the moment, and why.
struct LimitsInForce: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    if let limits = rooms.device.state?.limitsInForce, !limits.isEmpty {
      DisclosureGroup(words(.inForce, words.number(limits.count))) { LimitLines(limits: limits) }
        .font(.footnote)
        .accessibilityIdentifier("chat.limits")
    }
  }
}

struct LimitLines: View {
  let limits: [LimitNote]
  @Environment(\.words) private var words

  var body: some View {
    ForEach(Array(limits.enumerated()), id: \.offset) { _, limit in
      Text(words(.limit, limit.what, limit.value, limit.reason)).font(.footnote)
    }
  }
}
