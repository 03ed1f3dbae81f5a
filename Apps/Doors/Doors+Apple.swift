public import Foundation
public import LiberaScreens

#if canImport(UIKit)
  import UIKit
#endif

extension Doors {
  /// Everything of an Apple device that the app uses.
  public static var apple: Doors {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    return Doors(
      microphone: AppleMicrophone(), calendar: AppleCalendar(), ringer: AppleRinger(), signals: AppleSignals(),
      power: power, store: Products.ofThisBuild == nil ? nil : AppleStore(), products: .ofThisBuild,
      model: AppleModel(), voice: AppleVoice(), files: AppleFiles(),
      signposts: AppleSignposts(), recogniser: AppleTextRecogniser(), ear: AppleEar(),
      notes: support.appending(path: "LiberaGPT.calendar.plist"),
      place: FileManager.default.temporaryDirectory, shared: shared)
  }

  private static var power: (any PowerTime)? {
    #if os(macOS)
      nil
    #else
      ApplePowerTime()
    #endif
  }

  /// As in the entitlements of the app and of its share extension.
  public static let group = "group.org.libera.LiberaGPT"

  /// Where the share extension leaves files; it is not there on the Mac.
  public static var shared: URL? {
    #if os(macOS)
      nil
    #else
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?
        .appending(path: "Shared", directoryHint: .isDirectory)
    #endif
  }
}
