import Foundation
public import LiberaScreens

extension Doors {
  /// Everything of an Apple device that the app uses.
  public static var apple: Doors {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    return Doors(
      microphone: AppleMicrophone(), calendar: AppleCalendar(), ringer: AppleRinger(), signals: AppleSignals(),
      notes: support.appending(path: "LiberaGPT.calendar.plist"))
  }
}
