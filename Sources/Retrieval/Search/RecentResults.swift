/// The last few results, dropped together when anything they could depend on changes.
struct RecentResults<Key: Hashable & Sendable, Result: Sendable>: Sendable {
  private var results: [Key: Result] = [:]
  private var order: [Key] = []
  private var revision = -1
  let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  mutating func result(for key: Key, at revision: Int) -> Result? {
    guard self.revision == revision, let result = results[key] else { return nil }
    order.removeAll { $0 == key }
    order.append(key)
    return result
  }

  mutating func keep(_ result: Result, for key: Key, at revision: Int) {
    if self.revision != revision {
      results = [:]
      order = []
      self.revision = revision
    }
    if results.updateValue(result, forKey: key) == nil { order.append(key) }
    while order.count > capacity { results[order.removeFirst()] = nil }
  }
}
