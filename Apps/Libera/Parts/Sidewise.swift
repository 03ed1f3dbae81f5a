import SwiftUI

/// Side by side; one below the other where the type is so large that words would be cut.
struct Sidewise<Content: View>: View {
  private let alignment: VerticalAlignment
  private let content: Content
  @Environment(\.dynamicTypeSize) private var size

  init(alignment: VerticalAlignment = .center, @ViewBuilder content: () -> Content) {
    (self.alignment, self.content) = (alignment, content())
  }

  var body: some View {
    let layout =
      size.isAccessibilitySize
      ? AnyLayout(VStackLayout(alignment: .leading)) : AnyLayout(HStackLayout(alignment: alignment))
    layout { content }
  }
}
