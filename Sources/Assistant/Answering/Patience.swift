import Core
import Resources

/// Memory that another program takes often comes back within seconds. Where there is nothing to quote, and so only advice to
/// give without a pack, a question waits that long for it. It is told, and the wait stands in the record.
enum Patience {
  static let longest = Duration.seconds(15)

  /// Whether memory, and nothing else, is what a pack is missing.
  static func isWorthIt(_ tiers: Tiers) -> Bool { tiers.memory.level > .normal && tiers.heat.level < .critical }
}

extension Turn {
  /// What was waited for until there was memory again; nil where memory is not what is missing, or did not come.
  func awaitMemory(because limits: Limits) async throws -> LimitNote? {
    let governor = house.governor
    let changes = await governor.changes()
    let tiers = await governor.state.tiers
    guard Patience.isWorthIt(tiers) else { return nil }
    emit(
      Ask.Event(notice: "waiting for memory, at most \(Patience.longest.components.seconds) s: \(tiers.memory.reason)"))
    let began = ContinuousClock.now
    let came = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await _ in changes where await governor.state.tiers.memory.level == .normal { return true }
        return false
      }
      group.addTask {
        try await Task.sleep(for: Patience.longest)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
    guard came else { return nil }
    let reason = limits.loads.inForce ? limits.loads.reason : limits.heavyInference.reason
    return LimitNote(what: "waited", value: "\((began.msUntilNow / 100).rounded() / 10) s", reason: reason)
  }
}
