/// Whether tokens are computed by all threads or by one. A token is hundreds of steps, and after each the threads wait for each
/// other: on a quiet machine several are faster, but beside other programs they keep waiting for one that has no processor, and
/// one alone is several times faster. Which it is now shows on the tokens themselves: when they become slow, and now and then
/// anyway, the other way is tried for a few and stays if it is faster. While one alone keeps losing it is tried ever more rarely.
struct TokenThreads: Equatable {
  private(set) var isAlone = false
  /// The last tokens computed the present way.
  private var recent: [Double] = []
  /// What a token took when the present way was last judged.
  private var usual: Double?
  /// During a trial: what a token takes the way that was left.
  private var incumbent: Double?
  private let first: Int
  private var stretch: Int
  private var left: Int

  static let few = 5
  static let longest = 4096
  /// How long one thread goes on before the others are tried again.
  static let rest = 96
  /// So much slower than usual tokens must be to call for a trial, and so much faster than the other way to stay.
  static let slow = 1.7
  static let better = 0.93

  /// The more threads there are, the more a trial of one costs.
  init(threads: Int) {
    first = min(16 * threads * threads, Self.longest)
    stretch = first
    left = first
  }

  /// What the last token took tells how the next is computed.
  mutating func isAlone(after milliseconds: Double) -> Bool {
    recent = recent.suffix(Self.few - 1) + [milliseconds]
    if let incumbent { judge(against: incumbent) } else { consider() }
    return isAlone
  }

  private var median: Double { recent.sorted()[recent.count / 2] }

  private mutating func consider() {
    left -= 1
    guard recent.count == Self.few else { return }
    let usual = usual ?? median
    self.usual = usual
    guard left <= 0 || median > usual * Self.slow else { return }
    incumbent = median
    isAlone.toggle()
    recent = []
  }

  private mutating func judge(against incumbent: Double) {
    // Two tokens that are clearly no better end a trial early.
    let isLost = recent.count == 2 && recent.allSatisfy { $0 > incumbent * 1.05 }
    guard isLost || recent.count == Self.few else { return }
    if !isLost, median < incumbent * Self.better {
      usual = median
      stretch = first
    } else {
      usual = incumbent
      stretch = min(stretch * 2, Self.longest)
      isAlone.toggle()
    }
    left = isAlone ? Self.rest : stretch
    recent = []
    self.incumbent = nil
  }
}
