import Core

/// What can go wrong with packs. Those of the fetch worker cross its socket as `RemoteError` with the same codes.
package enum PackError: Explained, Equatable {
  case catalogueUnreadable(String)
  /// With those that there are.
  case unknownPack(String, [String])
  case notInstalled(String)
  case fileNotFound(String)
  case busy(String)
  case notEnoughSpace(needed: Int64, available: Int64, folder: String)
  case hashMismatch(file: String, expected: String, found: String, quarantined: String?)
  case malformed(String)
  case unsupported(String)
  case damaged(id: String, reason: String)
  case noSourceWorked(id: String, reasons: [String])
  case notInCatalogue(String)
  case repositoryNotNamed(String)
  case noSuchFile(String, repository: String, files: [String])
  case inParts(String)
  case noPublishedHash(String)
  case bundle(String)
  case noIndex
  case notListed(file: String, page: String)
  case folder(String, detail: String)
  case insecure(String)
  /// The server whose certificate is not trusted, and why.
  case certificate(String, String)
  case redirects(String)
  case status(Int, String)
  case serverBusy(Int, String)
  case network(String)
  case unreachable(String)
  case stalled(String)
  case truncated(String)
  case wrongLength(announced: Int64, expected: Int64)
  case changed(String)

  package var code: String {
    switch self {
    case .catalogueUnreadable: "catalogue_unreadable"
    case .unknownPack: "unknown_pack"
    case .notInstalled: "pack_not_installed"
    case .fileNotFound: "file_not_found"
    case .busy: "pack_busy"
    case .notEnoughSpace: "not_enough_space"
    case .hashMismatch: "hash_mismatch"
    case .malformed: "pack_malformed"
    case .unsupported: "pack_unsupported"
    case .damaged: "pack_damaged"
    case .noSourceWorked: "no_source_worked"
    case .notInCatalogue: "not_in_catalogue"
    case .repositoryNotNamed: "repository_refused"
    case .noSuchFile: "hub_file_not_found"
    case .inParts: "pack_unsupported"
    case .noPublishedHash: "no_published_hash"
    case .bundle: "bundle_refused"
    case .noIndex: "no_index"
    case .notListed: "not_listed"
    case .folder: "pack_folder"
    case .insecure: "insecure_address"
    case .certificate: "certificate_not_trusted"
    case .redirects: "too_many_redirects"
    case .status: "http_status"
    case .serverBusy: "server_busy"
    case .network: "network"
    case .unreachable: "unreachable"
    case .stalled: "stalled"
    case .truncated: "truncated"
    case .wrongLength: "wrong_length"
    case .changed: "changed"
    }
  }

  /// Errors after which asking the same source again may help.
  package static let transient: Set<String> = ["server_busy", "network", "stalled", "truncated", "changed"]

  package var message: String {
    switch self {
    case .catalogueUnreadable(let why): "The pack catalogue cannot be used: \(why)."
    case .unknownPack(let id, _): "There is no pack named \"\(id)\"."
    case .fileNotFound(let path): "There is no file \(path)."
    case .notInstalled(let id): "The pack \"\(id)\" is not installed."
    case .busy(let id): "The pack \"\(id)\" is being changed by another command."
    case .notEnoughSpace(let needed, let available, let folder):
      "\(Bytes.text(needed)) are needed in \(folder), \(Bytes.text(available)) are free."
    case .hashMismatch(let file, let expected, let found, _):
      "\(file) is not the published file: its SHA-256 is \(found), expected \(expected)."
    case .malformed(let why): "The file is not a sound model file: \(why)."
    case .unsupported(let why): "The model file cannot be used: \(why)."
    case .damaged(let id, let reason): "The pack \"\(id)\" is damaged: \(reason)."
    case .noSourceWorked(let id, let reasons):
      "The pack \"\(id)\" could not be fetched from any of its sources. " + reasons.joined(separator: " ")
    case .notInCatalogue(let what): "The catalogue does not name \(what), so it is not fetched."
    case .repositoryNotNamed(let name): "No terminal has named the repository \(name), so nothing of it is fetched."
    case .noSuchFile("", let repository, _): "\(repository) holds no GGUF file that stands out as the one to take."
    case .noSuchFile(let wanted, let repository, _): "\(repository) holds no GGUF file \"\(wanted)\"."
    case .inParts(let name): "\(name) is a part of a model that was cut into several files; those are not taken."
    case .noPublishedHash(let url): "The publisher states no SHA-256 for \(url), so the file was not fetched."
    case .bundle(let why): "The bundle is not taken: \(why)."
    case .noIndex: "It is not known here where Python packages are listed."
    case .notListed(let file, let page): "\(page) does not list \(file)."
    case .folder(let path, let detail): "\(path): \(detail)."
    case .insecure(let url): "\(url) is refused: only https is allowed."
    case .certificate(let host, let reason): "The certificate of \(host) is not trusted: \(reason)."
    case .redirects(let url): "\(url) redirects too often."
    case .status(let status, let url): "\(url) answered with status \(status)."
    case .serverBusy(let status, let url): "\(url) answered with status \(status) for now."
    case .network(let detail): "The transfer failed: \(detail)."
    case .unreachable(let host): "\(host) cannot be reached."
    case .stalled(let url): "\(url) stopped sending."
    case .truncated(let detail): "The transfer ended early: \(detail)."
    case .wrongLength(let announced, let expected):
      "The server announces \(announced) bytes where \(expected) belong."
    case .changed(let url): "\(url) changed while it was being fetched."
    }
  }

  package var remedy: String? {
    switch self {
    case .catalogueUnreadable: "Restore Packs/catalogue.json from the project."
    case .notInCatalogue: "Start again, if the catalogue was changed while the program ran."
    case .unknownPack(let id, let known):
      "\(Nearest.question(id, among: known))See \"libera packs list\"; any GGUF file of the hub is named as \(HubReference.prefix)OWNER/REPO."
    case .notInstalled: "See \"libera packs list\"."
    case .repositoryNotNamed(let name): "In a terminal: libera packs pull \(HubReference.prefix)\(name)"
    case .noSuchFile(_, _, let files) where files.isEmpty:
      "Look for a repository with files in GGUF, of a name that ends in it."
    case .noSuchFile(_, let repository, let files):
      "Name one: \(files.prefix(40).map { "\(HubReference.prefix)\(repository):\($0)" }.joined(separator: ", "))"
    case .inParts:
      "Take a smaller layout, or join the parts with llama.cpp's gguf-split and use \"libera packs import\"."
    case .busy: "Wait until it is done."
    case .notEnoughSpace: "Free some space, or remove a pack with \"libera packs remove\"."
    case .hashMismatch(_, _, _, let quarantined):
      quarantined.map { "Nothing was installed; the file lies in \($0) for inspection." } ?? "Nothing was installed."
    case .malformed: "Fetch or convert it again; nothing was installed."
    case .unsupported: "Convert it with a current llama.cpp."
    case .damaged(let id, _): "Nothing loads it. Run \"libera packs pull \(id)\" to fetch it again."
    case .noPublishedHash: "Fetch it by hand and use \"libera packs import\" if you trust it."
    case .bundle: "Fetch it again, from where this version of the program came from; nothing was installed."
    case .noSourceWorked, .network, .unreachable, .stalled, .truncated, .serverBusy, .changed:
      "What was already fetched is kept; try again later."
    case .noIndex, .notListed:
      "Name an index by \(PackageIndex.variable) that lists it, or install the bundle of models."
    case .certificate:
      "The system's list of authorities may be missing (sudo apt install ca-certificates), or lack one that a firewall puts in place."
    case .fileNotFound, .folder, .insecure, .redirects, .status, .wrongLength: nil
    }
  }
}

/// Sizes as people read them.
package enum Bytes {
  package static func text(_ count: Int64) -> String {
    switch count {
    case ..<1_000_000: "\((count + 999) / 1000) kB"
    case ..<1_000_000_000: "\((count + 500_000) / 1_000_000) MB"
    default: "\(count / 1_000_000_000).\((count % 1_000_000_000) / 100_000_000) GB"
    }
  }
}
