import Core
import Foundation

/// Whether several threads get in each other's way. A computation is hundreds of steps, and after each the threads wait for each other:
/// beside programs that take every core each wait lasts until the system gives the missing thread a turn, and a token that one thread
/// computes in 9 ms has taken 1,300. It shows in the processor's time: where all threads together get well under half of what
/// their cores would give, one thread alone is faster. What was begun is then begun again by one, and so is what follows for a while.
struct StallWatch: Equatable {
  /// Seconds, counted from anywhere: what passed, and what the processor spent on this process.
  struct Reading: Equatable {
    var passed: Double
    var spent: Double
  }

  /// So much must have passed before anything is said, in one computation or several after each other; after so much it is looked at
  /// anew, so that what went well before does not hide what is wrong now.
  static let shortestLook = 0.1
  static let longestLook = 0.3
  static let leastShare = 0.42
  /// How long one thread goes on before the others are tried again, and at most, where they stall each time.
  static let rest = 1.0
  static let longestRest = 4.0

  /// Where the present look began, as if nothing had passed between computations.
  private var begun: Reading?
  private var looked = Reading(passed: 0, spent: 0)
  private var restsUntil = -Double.infinity
  private var nextRest = Self.rest

  func isResting(at passed: Double) -> Bool { passed < restsUntil }

  mutating func begin(at now: Reading) {
    begun = Reading(passed: now.passed - looked.passed, spent: now.spent - looked.spent)
  }

  /// Whether the computation that is going on has stalled by now.
  mutating func isStalled(at now: Reading, threads: Int) -> Bool {
    guard let begun else { return false }
    looked = Reading(passed: now.passed - begun.passed, spent: now.spent - begun.spent)
    guard looked.passed >= Self.shortestLook else { return false }
    let isStalled = looked.spent < looked.passed * Double(threads) * Self.leastShare
    if isStalled {
      let isSoon = now.passed - restsUntil < Self.longestRest
      nextRest = isSoon ? min(nextRest * 2, Self.longestRest) : Self.rest
      restsUntil = now.passed + nextRest
    }
    if isStalled || looked.passed >= Self.longestLook {
      looked = Reading(passed: 0, spent: 0)
      self.begun = isStalled ? nil : now
    }
    return isStalled
  }
}

extension StallWatch.Reading {
  static func now() -> Self { Self(passed: seconds(CLOCK_MONOTONIC), spent: seconds(CLOCK_PROCESS_CPUTIME_ID)) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
