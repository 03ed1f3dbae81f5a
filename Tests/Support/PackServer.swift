import Core
package import Foundation

/// The web server of Tests/ModelsTests/server.py over a folder of its own, which behaves as the address says, as long as the object lives.
package final class PackServer: Sendable {
  package let folder: URL
  package let address: String
  private let server: PythonServer

  package init(_ folder: URL, certificate: Certificate? = nil) throws {
    self.folder = folder
    try Folders.make(folder)
    let shown = certificate.map { [$0.file.path, $0.key.path] } ?? []
    server = try PythonServer([Checkout.root.appending(path: "Tests/ModelsTests/server.py").path, folder.path] + shown)
    address = "http\(certificate == nil ? "" : "s")://127.0.0.1:\(server.port)"
  }

  package func url(_ behaviour: String, _ argument: String = "0", _ name: String = "weights") -> String {
    "\(address)/\(behaviour)/\(argument)/\(name)"
  }

  package func serve(_ data: Data, as name: String = "weights") throws {
    try data.write(to: folder.appending(path: name))
  }

  package func requests() throws -> [String] {
    let log = folder.appending(path: "requests.log")
    guard FileManager.default.fileExists(atPath: log.path) else { return [] }
    return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Connections of anybody on this machine to it, as the kernel lists them.
  package func connections() throws -> Int {
    let port = String(UInt16(server.port) ?? 0, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - port.count) + port
    let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
    return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] == "01"
    }
  }
}
