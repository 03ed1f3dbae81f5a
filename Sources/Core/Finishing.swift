/// Does `work`, then `after` however the work went, and only then tells how it went: for what has to be awaited at the end, which
/// `defer` cannot do.
package func finishing<Value>(
  isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value, then after: () async throws -> Void
) async throws -> Value {
  let value: Value
  do { value = try await work() } catch {
    try await after()
    throw error
  }
  try await after()
  return value
}
