package import Foundation

/// A certificate that vouches for itself, made by openssl for the occasion.
package struct Certificate {
  package static let canBeMade = access("/usr/bin/openssl", X_OK) == 0

  package var file: URL
  package var key: URL
  package var text: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

  struct NotMade: Error {}

  package init(_ name: String, for subject: String = "IP:127.0.0.1", in folder: URL) throws {
    (file, key) = (folder.appending(path: "\(name).pem"), folder.appending(path: "\(name).key"))
    let words = [
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-addext",
      "subjectAltName=\(subject)", "-keyout", key.path, "-out", file.path,
    ]
    guard try Tool.run(words, isQuiet: true).status == 0 else { throw NotMade() }
  }
}
