public import Foundation
import Synchronization

/// https://developer.apple.com/documentation/avfaudio/avaudiocommonformat
public enum AVAudioCommonFormat: UInt, Sendable { case otherFormat, pcmFormatFloat32, pcmFormatFloat64, pcmFormatInt16 }

public typealias AVAudioChannelCount = UInt32

/// https://developer.apple.com/documentation/avfaudio/avaudioformat
open class AVAudioFormat: NSObject {
  public let sampleRate: Double
  public let commonFormat: AVAudioCommonFormat

  init(ofRoom: Void) { (sampleRate, commonFormat) = (SoundRoom.shared.state.withLock(\.rate), .pcmFormatFloat32) }

  /// https://developer.apple.com/documentation/avfaudio/avaudioformat/init(commonformat:samplerate:channels:interleaved:)
  public init?(commonFormat: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool)
  {
    guard channels == 1, sampleRate > 0 else { return nil }
    (self.sampleRate, self.commonFormat) = (sampleRate, commonFormat)
  }
}

/// One channel of floats or of whole numbers. https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer
open class AVAudioPCMBuffer: NSObject {
  private let floats: UnsafeMutablePointer<Float>
  private let whole: UnsafeMutablePointer<Int16>
  private let floatChannels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let wholeChannels: UnsafeMutablePointer<UnsafeMutablePointer<Int16>>
  private let isFloat: Bool
  public let frameCapacity: AVAudioFrameCount
  open var frameLength: AVAudioFrameCount = 0 {
    didSet { precondition(frameLength <= frameCapacity, "More frames than there is room for.") }
  }

  public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
    isFloat = format.commonFormat == .pcmFormatFloat32
    self.frameCapacity = frameCapacity
    (floats, whole) = (.allocate(capacity: Int(frameCapacity)), .allocate(capacity: Int(frameCapacity)))
    floats.initialize(repeating: 0, count: Int(frameCapacity))
    whole.initialize(repeating: 0, count: Int(frameCapacity))
    (floatChannels, wholeChannels) = (.allocate(capacity: 1), .allocate(capacity: 1))
    floatChannels.initialize(to: floats)
    wholeChannels.initialize(to: whole)
  }

  convenience init?(_ sound: ArraySlice<Float>) {
    self.init(pcmFormat: AVAudioFormat(ofRoom: ()), frameCapacity: AVAudioFrameCount(sound.count))
    for (place, sample) in sound.enumerated() { floats[place] = sample }
    frameLength = AVAudioFrameCount(sound.count)
  }

  deinit {
    floats.deallocate()
    whole.deallocate()
    floatChannels.deallocate()
    wholeChannels.deallocate()
  }

  /// nil where the samples are whole numbers.
  open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
    isFloat ? UnsafePointer(floatChannels) : nil
  }
  /// nil where they are not.
  open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? {
    isFloat ? nil : UnsafePointer(wholeChannels)
  }

  /// What it holds, for another framework.
  package var samples: [Float] {
    (0..<Int(frameLength)).map { isFloat ? floats[$0] : Float(whole[$0]) / 32_768 }
  }
}
