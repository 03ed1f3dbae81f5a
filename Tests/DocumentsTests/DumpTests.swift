import Core
import DocumentEngine
import Documents
import Foundation
import Testing
import Workers

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct DumpTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["DUMP"] != nil)) func dump() throws {
    let env = ProcessInfo.processInfo.environment
    for path in env["DUMP"]!.split(separator: ":").map(String.init) {
      let sink = Collected()
      let fd = open(path, O_RDONLY)
      var request = ParseRequest(name: path)
      if let f = env["FIRST"] { request.first = Int(f)! }
      if let f = env["LAST"] { request.last = Int(f)! }
      let began = ContinuousClock.now
      do {
        try DocumentEngine().handle(Call(operation: "parse", body: JSON.encode(request), files: [fd]), sink)
      } catch { print("ERROR", RemoteError(error)) }
      let took = began.duration(to: .now)
      print("==== \(path) took \(took) report \(String(describing: sink.report))")
      for p in sink.problems { print("PROBLEM", p.page, p.error) }
      if env["QUIET"] != nil { continue }
      for d in sink.documents.prefix(3) {
        print(try JSON.line(d.info))
        for p in d.pages {
          print("--- page \(p.number) \(p.width)x\(p.height) rec \(p.recognised ?? -1)")
          for b in p.blocks {
            print(
              "[\(b.kind)\(b.line.map { " L\($0)" } ?? "") g\(b.geometry?.count ?? 0)/\(b.text.utf8.count)] \(b.text)")
          }
        }
      }
      if env["PNG"] != nil {
        let s2 = Collected()
        let page = sink.documents[0].pages[0]
        let m = page.blocks.flatMap { b in b.geometry.map { Geometry.decode($0).map(\.box) } ?? [] }
        try DocumentEngine().handle(
          Call(
            operation: "render", body: JSON.encode(RenderRequest(page: page.number, scale: 1.5, marks: m)), files: [fd]),
          s2)
        try s2.payload.write(to: URL(filePath: env["PNG"]!))
      }
      close(fd)
    }
  }
}
