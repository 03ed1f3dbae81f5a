/// The last results, dropped together when anything they could depend on changes.
struct RecentResults<Key: Hashable & Sendable, Result: Sendable>: Sendable {
  /// What was asked for lately; when these are enough they become the older ones, and those are dropped.
  private var newer: [Key: Result] = [:]
  private var older: [Key: Result] = [:]
  private var revision = -1
  /// So many of the last are there at least, twice as many at most.
  let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  mutating func result(for key: Key, at revision: Int) -> Result? {
    guard self.revision == revision else { return nil }
    if let result = newer[key] { return result }
    guard let result = older[key] else { return nil }
    put(result, for: key)
    return result
  }

  mutating func keep(_ result: Result, for key: Key, at revision: Int) {
    if self.revision != revision { (newer, older, self.revision) = ([:], [:], revision) }
    put(result, for: key)
  }

  private mutating func put(_ result: Result, for key: Key) {
    if newer.count >= capacity, newer[key] == nil { (newer, older) = ([:], newer) }
    newer.updateValue(result, forKey: key)
  }
}
