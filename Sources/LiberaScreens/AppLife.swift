public import LiberaKit
public import Observation

/// What the system tells an app, passed on to where it matters.
@MainActor @Observable
public final class AppLife {
  public enum Phase: Sendable, Equatable { case active, inactive, background }

  private let libera: Libera
  public private(set) var phase = Phase.active
  /// The dictation that a call interrupts.
  public var voice: VoiceScreen?
  /// Whether a screen of this app was shown since it started: the system also starts it without one.
  public private(set) var isSeen = false
  /// What is to be done when nobody looks any more.
  var whenHidden: (@MainActor () async -> Void)?
  /// What is to be done when somebody looks.
  var whenShown: (@MainActor () -> Void)?
  /// What is being read aloud then.
  public var aloud: ReadingAloud?

  public init(_ libera: Libera) { self.libera = libera }

  /// In the background models that do nothing leave memory after the seconds that are set, and nobody dictates or is read to.
  public func moved(to new: Phase) async {
    guard new != phase else { return }
    phase = new
    // Between the two nothing is decided: the system may be showing its switcher.
    guard new != .inactive else { return }
    if new == .background { await soundWasInterrupted() }
    await libera.background(new == .background)
    if new == .background { await whenHidden?() } else { whenShown?() }
  }

  public func appears() {
    isSeen = true
    whenShown?()
  }

  /// All models go at once.
  public func memoryIsShort() async { await libera.memoryWarning() }

  /// Does what the system's signals ask for, for as long as whoever calls it waits.
  public func follow(_ signals: any SystemSignals) async {
    for await _ in signals.memoryWarnings() { await memoryIsShort() }
  }

  /// A call, or another program with the microphone.
  public func soundWasInterrupted() async {
    aloud?.hush()
    await voice?.interrupt()
  }
}
