import Documents

/// Counts the work that one file takes, so that it stays bounded.
final class CalendarBudget {
  enum Problem { case steps, occurrences, rule }

  private let limits: CalendarLimits
  private var steps = 0
  /// Nothing more fits into the answer, whatever entry it is of.
  private(set) var isSpent = false

  init(_ limits: CalendarLimits) { self.limits = limits }

  /// Of one entry: what has happened so far stands, what would be too much is left out.
  final class Entry {
    private let budget: CalendarBudget
    private var steps = 0
    private var kept = 0
    private(set) var problem: Problem?

    fileprivate init(_ budget: CalendarBudget) { self.budget = budget }

    func stop(_ problem: Problem, forAll: Bool = false) {
      self.problem = self.problem ?? problem
      if forAll { budget.isSpent = true }
    }

    func step() -> Bool {
      steps += 1
      budget.steps += 1
      if steps > budget.limits.stepsPerEntry || budget.steps > budget.limits.steps { stop(.steps) }
      return problem == nil
    }

    func keep() -> Bool {
      kept += 1
      if kept > budget.limits.occurrencesPerEntry { stop(.occurrences) }
      return problem == nil
    }
  }

  func entry() -> Entry { Entry(self) }
}
