import Core
import Documents
import Foundation
import Safety
import Synchronization
import TestSupport
import Testing
import Workers

@Suite("A reader over a sealed worker")
struct ReaderTests {
  private func file(_ data: Data) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString)")
    try data.write(to: url)
    return url
  }

  private func pages(_ reader: DocumentReader, _ url: URL, _ request: ParseRequest) async throws -> [Page] {
    var pages: [Page] = []
    for try await event in reader.parse(url, request) { if case .page(let page) = event { pages.append(page) } }
    return pages
  }

  @Test("Pages, pictures of pages and recognised text come through the worker's locks")
  func reads() async throws {
    var pdf = PDFWriter()
    pdf.add(lines: ["The filter must be changed."], size: 16)
    let url = try file(pdf.data)
    defer { try? FileManager.default.removeItem(at: url) }
    let reader = DocumentReader()
    #expect(try await pages(reader, url, ParseRequest(name: "x")).map(\.text) == ["The filter must be changed."])
    let picture = try await reader.render(url, RenderRequest(page: 1, scale: 2)).picture
    let scan = try file(picture)
    defer { try? FileManager.default.removeItem(at: scan) }
    #expect(try await pages(reader, scan, ParseRequest(name: "x")).map(\.text) == ["The filter must be changed."])
    await reader.stop()
  }

  @Test("A file that takes too much memory costs that file, and the next one is read")
  func memory() async throws {
    var bounds = DocumentReader.Bounds()
    bounds.memoryBytes = 1 << 20
    let reader = DocumentReader(bounds: bounds)
    // Rows enough that reading them outlasts the first look at the memory.
    let rows = (0..<400_000).map { "row \($0);value \($0 % 97);note \($0 % 13)" }.joined(separator: "\n")
    let large = try file(Data(rows.utf8))
    defer { try? FileManager.default.removeItem(at: large) }
    #expect(await errorCode { try await pages(reader, large, ParseRequest(name: "x")) } == "document_worker_ended")
    let generous = DocumentReader()
    let small = try file(Data("Some words.".utf8))
    defer { try? FileManager.default.removeItem(at: small) }
    #expect(try await pages(generous, small, ParseRequest(name: "x")).map(\.text) == ["Some words."])
    await reader.stop()
    await generous.stop()
  }

  @Test("After its worker is gone the reader starts another")
  func restarts() async throws {
    let reader = DocumentReader()
    let url = try file(Data("Some words.".utf8))
    defer { try? FileManager.default.removeItem(at: url) }
    for _ in 0..<2 {
      #expect(try await pages(reader, url, ParseRequest(name: "x")).map(\.text) == ["Some words."])
      await reader.stop()
    }
    #expect(
      await errorCode { try await pages(reader, URL(filePath: "/nowhere"), ParseRequest(name: "x")) }
        == "document_unreadable")
  }

  @Test("A worker that tells more than is taken is ended, and what it told is not kept without bound")
  func floods() async throws {
    let started = Mutex<Worker?>(nil)
    let reader = DocumentReader {
      let worker = try await Worker.start(.echo, seal: SealSpecification())
      started.withLock { $0 = worker }
      return worker
    }
    let url = try file(Data("x".utf8))
    defer { try? FileManager.default.removeItem(at: url) }
    var events = reader.parse(url, ParseRequest(name: "x")).makeAsyncIterator()
    guard case .page = try await events.next() else { return #expect(Bool(false), "no page") }
    let first = started.withLock { $0 }
    let worker = try #require(first)
    while worker.isAlive { try await Task.sleep(for: .milliseconds(5)) }
    do {
      while try await events.next() != nil {}
      #expect(Bool(false), "it ended well")
    } catch {
      // Which of the two bounds is reached first, that on what is told or that on what is taken, is a matter of pace.
      #expect(["document_worker_ended", "worker_flooded"].contains(RemoteError(error).code), "\(error)")
    }
  }
}
