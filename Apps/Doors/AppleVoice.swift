import AVFAudio
import Foundation
import LiberaKit
public import LiberaScreens

/// The system's voice, through AVSpeechSynthesizer, which speaks on the device.
public struct AppleVoice: Voice {
  public init() {}

  public func say(_ text: String, in language: String) async throws {
    #if !os(macOS)
      let session = AVAudioSession.sharedInstance()
      do {
        try session.setCategory(.playback, mode: .spokenAudio, options: .duckOthers)
        try session.setActive(true)
      } catch {
        throw LiberaError(
          code: "voice_failed", message: "This device does not speak now: \(error.localizedDescription)")
      }
    #endif
    await speak(text, in: language)
    #if !os(macOS)
      // Other sound becomes as loud as before; where it does not, nothing of ours is lost.
      do { try session.setActive(false, options: .notifyOthersOnDeactivation) } catch { return }
    #endif
  }

  @MainActor private func speak(_ text: String, in language: String) async {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let (synthesizer, listener) = (AVSpeechSynthesizer(), Listener(end))
    synthesizer.delegate = listener
    let utterance = AVSpeechUtterance(string: text)
    utterance.voice = AVSpeechSynthesisVoice(language: language)
    synthesizer.speak(utterance)
    // Ends with the last word, and when the task is cancelled.
    for await _ in ended {}
    if synthesizer.isSpeaking { synthesizer.stopSpeaking(at: .immediate) }
    // The synthesizer holds its delegate only weakly.
    withExtendedLifetime(listener) {}
  }
}

private final class Listener: NSObject, AVSpeechSynthesizerDelegate, Sendable {
  private let end: AsyncStream<Void>.Continuation
  init(_ end: AsyncStream<Void>.Continuation) { self.end = end }

  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) { end.finish() }
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) { end.finish() }
}
