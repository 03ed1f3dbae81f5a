public import Foundation

/// The way to the device's microphone.
public protocol Microphone: Sendable {
  /// Asks for leave where that was not done, and opens it. Ending the loop over the events closes it.
  /// - Throws: `LiberaError` with the code `microphone_refused` where the person or the device does not allow it.
  func open() async throws -> OpenMicrophone
}

/// A microphone that listens.
public struct OpenMicrophone: Sendable {
  public enum Event: Sendable, Equatable {
    /// 16-bit little-endian samples, one channel.
    case sound(Data)
    /// A call, or headphones that were pulled out: no more sound comes.
    case interrupted
  }
  /// Samples a second.
  public var rate: Int
  public var events: AsyncStream<Event>

  public init(rate: Int, events: AsyncStream<Event>) { (self.rate, self.events) = (rate, events) }
}

/// How loud sound is.
public enum SoundLevel {
  /// 0 (silence) to 1, of 16-bit little-endian samples.
  public static func of(_ sound: Data) -> Double {
    let samples = samples(sound)
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return samples.isEmpty ? 0 : (sum / Double(samples.count)).squareRoot()
  }

  /// 16-bit little-endian samples, from -1 to 1.
  static func samples(_ sound: Data) -> [Float] {
    var bytes = sound.makeIterator()
    var samples: [Float] = []
    samples.reserveCapacity(sound.count / 2)
    while let low = bytes.next(), let high = bytes.next() {
      samples.append(Float(Int16(truncatingIfNeeded: Int(low) | Int(high) << 8)) / 32_768)
    }
    return samples
  }
}
