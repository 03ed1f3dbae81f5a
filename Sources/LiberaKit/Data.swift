import Assistant

extension Libera {
  /// Destroys everything of a kind. When it returns nothing of it is left in the files.
  public func destroy(_ kind: KeptData) async throws {
    _ = try await one(DestroyData.self, DataInput(kind: kind))
  }

  /// The licence of this library and of every part it uses.
  public func licences() async throws -> String { try await one(ShowLicences.self, Nothing()).licences }
}
