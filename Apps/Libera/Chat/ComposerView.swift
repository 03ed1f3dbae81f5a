import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import SwiftUI

/// Where a question is written: its mode with what is in force, attaching, sending, stopping.
struct ComposerView: View {
  @Bindable var chat: ChatScreen
  let attach: @MainActor () -> Void
  let attachPhotos: @MainActor () -> Void
  let scan: @MainActor () -> Void
  @Environment(\.words) private var words
  @Environment(\.dynamicTypeSize) private var typeSize
  @AppStorage("haptics") private var haptics = true

  var body: some View {
    VStack(alignment: .leading) {
      if chat.editing != nil {
        Sidewise {
          Label(words(.editing), systemImage: "pencil").font(.footnote).accessibilityIdentifier("chat.editing")
          Button(words(.leaveIt), role: .cancel) { chat.leaveEditing() }.accessibilityIdentifier("chat.leaveEditing")
        }
      }
      Sidewise {
        ModePicker(chat: chat)
        Spacer(minLength: 0)
        attachments
      }
      Sidewise(alignment: .bottom) {
        TextField(words(.yourQuestion), text: $chat.draft, axis: .vertical)
          .lineLimit(typeSize.isAccessibilitySize ? 1...3 : 1...6)
          .textFieldStyle(.roundedBorder)
          .onSubmit { chat.send() }
          .accessibilityIdentifier("chat.draft")
        if chat.isAnswering {
          Button(words(.stop), systemImage: "stop.fill") { chat.stop() }
            .accessibilityIdentifier("chat.stop")
        } else {
          Button(words(.send), systemImage: "arrow.up.circle.fill") { chat.send() }
            .disabled(!chat.canSend)
            .accessibilityHint(words(.sendHint))
            .accessibilityIdentifier("chat.send")
        }
      }
      LimitsInForce()
    }
    .padding()
    .background(.bar)
    .sensoryFeedback(trigger: chat.isAnswering) { _, isAnswering in
      guard haptics else { return nil }
      return isAnswering ? .impact(weight: .light) : chat.turns.last?.stage.felt
    }
  }

  /// Pictures without words: three of them have room beside each other at every size.
  private var attachments: some View {
    HStack {
      Button(words(.attach), systemImage: "paperclip", action: attach)
        .accessibilityHint(words(.attachHint))
        .accessibilityIdentifier("chat.attach")
      Button(words(.attachPhotos), systemImage: "photo", action: attachPhotos)
        .accessibilityHint(words(.attachHint))
        .accessibilityIdentifier("chat.photos")
      if DocumentCamera.isThere {
        Button(words(.attachScan), systemImage: "doc.viewfinder", action: scan)
          .accessibilityHint(words(.attachHint))
          .accessibilityIdentifier("chat.scan")
      }
    }
    .labelStyle(.iconOnly)
    .disabled(chat.isAttaching)
  }
}
