public import Foundation
package import Synchronization

/// What stands here for the device's voice: what it said, and what it is saying until a test lets it end.
package final class SpeakingRoom: Sendable {
  package struct Said: Sendable, Equatable {
    package var text: String
    package var language: String?
  }
  package struct State: Sendable {
    package var said: [Said] = []
    package var stopped = 0
    var speaking: [ObjectIdentifier: AVSpeechSynthesizer] = [:]
    package var isSpeaking: Bool { !speaking.isEmpty }
  }
  package static let shared = SpeakingRoom()
  package let state = Mutex(State())

  /// Everything was said.
  package func finish() {
    for synthesizer in state.withLock({ Array($0.speaking.values) }) { synthesizer.end(isStopped: false) }
  }
}

/// https://developer.apple.com/documentation/avfaudio/avspeechsynthesisvoice
open class AVSpeechSynthesisVoice: NSObject {
  public let language: String
  public init?(language languageCode: String?) { language = languageCode ?? "en-US" }
}

/// https://developer.apple.com/documentation/avfaudio/avspeechutterance
open class AVSpeechUtterance: NSObject {
  public let speechString: String
  open var voice: AVSpeechSynthesisVoice?
  public init(string: String) { speechString = string }
}

/// https://developer.apple.com/documentation/avfaudio/avspeechboundary
public enum AVSpeechBoundary: Int, Sendable { case immediate, word }

/// https://developer.apple.com/documentation/avfaudio/avspeechsynthesizerdelegate
public protocol AVSpeechSynthesizerDelegate: NSObjectProtocol {
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
}

/// https://developer.apple.com/documentation/avfaudio/avspeechsynthesizer
// Unchecked: a test ends it from where it runs, and only while nobody else touches it.
open class AVSpeechSynthesizer: NSObject, @unchecked Sendable {
  open weak var delegate: (any AVSpeechSynthesizerDelegate)?
  private var utterance: AVSpeechUtterance?
  open var isSpeaking: Bool { utterance != nil }

  open func speak(_ utterance: AVSpeechUtterance) {
    self.utterance = utterance
    SpeakingRoom.shared.state.withLock { state in
      state.said.append(SpeakingRoom.Said(text: utterance.speechString, language: utterance.voice?.language))
      state.speaking[ObjectIdentifier(self)] = self
    }
  }

  @discardableResult open func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool {
    guard isSpeaking else { return false }
    end(isStopped: true)
    return true
  }

  func end(isStopped: Bool) {
    guard let spoken = utterance else { return }
    utterance = nil
    SpeakingRoom.shared.state.withLock { state in
      state.speaking[ObjectIdentifier(self)] = nil
      state.stopped += isStopped ? 1 : 0
    }
    if isStopped {
      delegate?.speechSynthesizer(self, didCancel: spoken)
    } else {
      delegate?.speechSynthesizer(self, didFinish: spoken)
    }
  }
}
