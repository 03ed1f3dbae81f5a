import Core

/// The code of the error that the work ends with; nil where it ends with none.
package func errorCode<Value>(
  isolation: isolated (any Actor)? = #isolation, of work: () async throws -> Value
) async -> String? {
  do {
    _ = try await work()
    return nil
  } catch { return RemoteError(error).code }
}
