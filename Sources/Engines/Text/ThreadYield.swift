/// When other work takes the processors, threads that wait for each other in lockstep can get fifty times slower, while one
/// thread alone hardly suffers. So after several tokens far slower than the best one, a single thread goes on for a while.
struct ThreadYield: Equatable {
  private var best = 0.0
  private var slow = 0
  private var aloneFor = 0

  static let patience = 3
  static let rest = 96

  /// What the last token took tells how the next is computed.
  mutating func isAlone(after milliseconds: Double) -> Bool {
    if aloneFor > 0 {
      aloneFor -= 1
      return aloneFor > 0
    }
    // The best may grow a little with every token, as the conversation gets longer.
    best = best == 0 ? milliseconds : min(best * 1.001, milliseconds)
    slow = milliseconds > best * 6 + 1 ? slow + 1 : 0
    if slow >= Self.patience {
      slow = 0
      aloneFor = Self.rest
    }
    return aloneFor > 0
  }
}
