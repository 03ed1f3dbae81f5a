import Spoken

/// The part of the sound that may still be needed, with what the voice detector thinks of it. Positions are frames counted
/// from the beginning of the sound.
struct Recording {
  private var samples: [Float] = []
  private var probabilities: [Float] = []
  private var first = 0
  private var pending: [Float] = []

  /// Frames received so far.
  var end: Int { first + probabilities.count }

  /// Takes samples as they come and hands whole frames to `judge`; returns their probabilities.
  mutating func append(_ more: [Float], judge: ([Float]) throws -> [Float]) rethrows -> [Float] {
    pending += more
    let whole = pending.count / Sound.frame * Sound.frame
    guard whole > 0 else { return [] }
    let frames = Array(pending[..<whole])
    pending.removeFirst(whole)
    let found = try judge(frames)
    samples += frames
    probabilities += found
    return found
  }

  /// The last, incomplete frame, filled up with silence.
  mutating func finish(judge: ([Float]) throws -> [Float]) rethrows -> [Float] {
    guard !pending.isEmpty else { return [] }
    return try append([Float](repeating: 0, count: Sound.frame - pending.count), judge: judge)
  }

  func sound(_ frames: Range<Int>) -> [Float] {
    let frames = frames.clamped(to: first..<end)
    return Array(samples[((frames.lowerBound - first) * Sound.frame)..<((frames.upperBound - first) * Sound.frame)])
  }

  /// The loudest sample of a frame.
  func level(of frame: Int) -> Float {
    let begin = (frame - first) * Sound.frame
    return samples[begin..<(begin + Sound.frame)].reduce(0) { max($0, abs($1)) }
  }

  /// The share of frames in which somebody speaks.
  func voiced(_ frames: Range<Int>) -> Double {
    let part = probabilities[frames.clamped(to: first..<end).shifted(by: -first)]
    return part.isEmpty ? 0 : Double(part.count { $0 >= 0.5 }) / Double(part.count)
  }

  mutating func forget(before frame: Int) {
    let gone = min(max(0, frame - first), probabilities.count)
    // Moving the rest costs more than keeping a second of sound.
    guard gone > 32 else { return }
    samples.removeFirst(gone * Sound.frame)
    probabilities.removeFirst(gone)
    first += gone
  }
}

extension Range<Int> {
  fileprivate func shifted(by offset: Int) -> Range<Int> { (lowerBound + offset)..<(upperBound + offset) }
}
