import Foundation

/// Changes the sampling rate with a windowed-sinc filter, one phase of it for every position an output sample can have
/// between two input samples. What lies above the lower rate's half is removed, so nothing folds back into speech.
package struct Resampler: Sendable {
  /// Beyond this many positions the nearest is taken; the error is then far below 16-bit noise.
  private static let mostPhases = 2048
  private static let zeroCrossings = 16

  private let step: Double  // input samples per output sample
  private let phases: Int
  private let taps: Int
  private let filter: [Float]  // phases × taps
  private var history: [Float]
  private var produced = 0  // output samples so far
  private var dropped = 0  // input samples no longer in `history`
  private var received = 0

  package init(from: Int, to: Int) {
    step = Double(from) / Double(to)
    let common = Resampler.divisor(from, to)
    phases = min(to / common, Resampler.mostPhases)
    let scale = max(1, step)
    let half = Int((Double(Resampler.zeroCrossings) * scale).rounded(.up))
    taps = 2 * half
    // A little below the half of the lower rate, so that the filter's slope ends there.
    let cutoff = 0.93 / scale
    var filter: [Float] = []
    filter.reserveCapacity(phases * taps)
    for phase in 0..<phases {
      let fraction = Double(phase) / Double(phases)
      var row = (0..<taps).map { tap -> Double in
        let distance = Double(tap - half + 1) - fraction
        return cutoff * Resampler.sinc(cutoff * distance) * Resampler.window(distance / Double(half))
      }
      let sum = row.reduce(0, +)  // a constant stays what it was
      row = row.map { $0 / sum }
      filter += row.map(Float.init)
    }
    self.filter = filter
    history = [Float](repeating: 0, count: half - 1)  // silence before the beginning
    dropped = 1 - half
  }

  package mutating func feed(_ input: [Float]) -> [Float] {
    history += input
    received += input.count
    return produce()
  }

  /// The end of the sound: what is still in the filter comes out. Nothing may be fed afterwards.
  package mutating func finish() -> [Float] {
    let wanted = Int((Double(received) / step).rounded()) - produced
    history += [Float](repeating: 0, count: taps)
    return Array(produce().prefix(max(0, wanted)))
  }

  private mutating func produce() -> [Float] {
    var output: [Float] = []
    let half = taps / 2
    history.withUnsafeBufferPointer { history in
      filter.withUnsafeBufferPointer { filter in
        while true {
          let position = Double(produced) * step
          var whole = Int(position)
          var phase = Int(((position - Double(whole)) * Double(phases)).rounded())
          if phase == phases { (whole, phase) = (whole + 1, 0) }
          let start = whole - half + 1 - dropped
          guard start + taps <= history.count else { return }
          var sum: Float = 0
          let row = phase * taps
          for tap in 0..<taps { sum += history[start + tap] * filter[row + tap] }
          output.append(sum)
          produced += 1
        }
      }
    }
    let unused = Int(Double(produced) * step) - half - dropped
    if unused > 4096 {
      history.removeFirst(unused)
      dropped += unused
    }
    return output
  }

  private static func sinc(_ x: Double) -> Double { abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x) }

  /// Kaiser, about 80 dB.
  private static func window(_ x: Double) -> Double {
    abs(x) >= 1 ? 0 : bessel(8 * (1 - x * x).squareRoot()) / bessel(8)
  }

  private static func bessel(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for k in 1..<40 {
      term *= (x / (2 * Double(k))) * (x / (2 * Double(k)))
      sum += term
    }
    return sum
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
}
