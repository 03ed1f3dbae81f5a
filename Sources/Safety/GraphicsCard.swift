import Foundation

/// Whether this system shows a graphics card: one that engines may be sealed for.
package enum GraphicsCard {
  /// By which the Vulkan part of the engine is told the numbers of the cards to use. A driver that computes on the processor (Mesa's
  /// lavapipe) has no device of its own and is used only where this names it: for tests, and to find out whether a card is to blame.
  package static let variable = "GGML_VK_VISIBLE_DEVICES"

  /// A card's devices are here, or the person names a card.
  package static let isHere: Bool = {
    #if os(Linux)
      isHere(ProcessInfo.processInfo.environment) { access($0, F_OK) == 0 }
    #else
      true
    #endif
  }()

  package static func isHere(_ environment: [String: String], exists: (String) -> Bool) -> Bool {
    environment[variable]?.isEmpty == false || shown.contains(where: exists)
  }

  /// Where Linux shows cards that compute: the first of the system's own drivers, and NVIDIA's.
  private static let shown = ["/dev/dri/renderD128", "/dev/nvidiactl"]
}
