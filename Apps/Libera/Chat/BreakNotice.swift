import LiberaKit
import LiberaScreens
import SwiftUI

/// Long work without a pause: a break lets the device cool.
struct BreakNotice: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var isRead = false

  var body: some View {
    let isSuggested = rooms.device.state?.breakIsSuggested == true
    Group {
      if isSuggested, !isRead {
        Sidewise {
          Label(words(.takeABreak), systemImage: "cup.and.saucer").accessibilityIdentifier("break")
          Spacer()
          Button(words(.understood)) { isRead = true }.accessibilityIdentifier("break.dismiss")
        }
        .padding()
        .background(.bar)
      }
    }
    .onChange(of: isSuggested) { _, new in if !new { isRead = false } }
  }
}
