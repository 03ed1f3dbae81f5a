import Core
import Foundation
import Workers

extension PackStore {
  /// What the hub names is one whole GGUF file.
  private static let nothingToConvert: ConvertCall = { operation, _, _, _ in
    throw PackError.unsupported("nothing of the hub's has to be converted (\(operation))")
  }

  /// Fetches a model file of the hub and describes it by its header, as one of the person's own. The hub's word is taken for the
  /// SHA-256 that the file must have. The stream is that of a catalogue's pack.
  package func pull(
    _ reference: HubReference, call: @escaping FetchCall, pauses: [Double] = [1, 2, 4, 8], patience: Int = 30
  ) -> AsyncThrowingStream<PullEvent, any Error> {
    pulling { report in
      report(.step("asking the hub what \(reference.repository) holds"))
      let listing = try await listing(of: reference, call)
      let file = try listing.file(reference)
      report(.step([file.name, Bytes.text(file.bytes), listing.licence].compactMap(\.self).joined(separator: ", ")))
      return Puller(
        store: self, pack: Pack(of: file, reference, licence: listing.licence), call: call,
        convert: Self.nothingToConvert,
        pauses: pauses,
        patience: patience, report: report)
    }
  }

  private func listing(of reference: HubReference, _ call: FetchCall) async throws -> HubListing {
    let request = ListingRequest(repository: reference.repository)
    for try await case .event(let data) in call("listing", try JSON.encode(request)) {
      if case .listed(let listing) = try JSON.decode(FetchEvent.self, from: data) { return listing }
    }
    try Task.checkCancellation()
    throw PackError.network("the hub did not say what \(reference.repository) holds")
  }
}

extension Pack {
  /// A file of the hub before it is here: what it is stands in its header, and is read once it has come.
  init(of file: HubListing.File, _ reference: HubReference, licence: String?) {
    self.init(
      id: PackID.own(URL(filePath: file.name), sha256: file.sha256), version: 1, name: file.name, kind: .chat,
      family: "", parameters: 1, quantization: "", bytes: file.bytes, sha256: file.sha256, hash: .publisher,
      licence: licence ?? Pack.unknownLicence, context: 1, isDefault: false,
      sources: [
        Source(
          name: HubReference.prefix + reference.repository,
          files: [
            File(
              name: "weights", bytes: file.bytes, sha256: file.sha256,
              parts: [Part(url: file.url, bytes: file.bytes, sha256: file.sha256)])
          ])
      ])
  }

  /// The same, described by what its header says.
  func described(by header: GGUFHeader) -> Pack {
    var own = Pack(own: header, file: URL(filePath: name), sha256: sha256 ?? "")
    (own.id, own.hash, own.sources) = (id, hash, sources)
    if own.licence == Pack.unknownLicence { own.licence = licence }
    return own
  }
}
