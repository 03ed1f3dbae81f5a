import Foundation
public import LiberaScreens

extension Doors {
  /// Everything of an Apple device that the app uses.
  public static var apple: Doors {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    return Doors(
      microphone: AppleMicrophone(), calendar: AppleCalendar(), ringer: AppleRinger(), signals: AppleSignals(),
      power: power, store: Products.ofThisBuild == nil ? nil : AppleStore(), products: .ofThisBuild,
      notes: support.appending(path: "LiberaGPT.calendar.plist"),
      place: FileManager.default.temporaryDirectory)
  }

  private static var power: (any PowerTime)? {
    #if os(macOS)
      nil
    #else
      ApplePowerTime()
    #endif
  }
}
