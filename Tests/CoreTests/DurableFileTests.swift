import Foundation
import TestSupport
import Testing

@testable import Core

@Suite("Files that are whole whenever the power fails")
struct DurableFileTests {
  @Test("Of many who write the same file at the same moment one comes after the other, and it is whole at every moment")
  func together() async throws {
    let scratch = try Scratch("durable")
    let folder = scratch.folder
    let file = folder.appending(path: "file")
    let texts = (1...8).map { Data(String(repeating: "\($0)", count: $0 * 20_000).utf8) }
    try DurableFile.write(texts[0], to: file)
    try await withThrowingTaskGroup { group in
      for text in texts {
        group.addTask {
          for _ in 0..<20 {
            try DurableFile.write(text, to: file)
            let read = try Data(contentsOf: file)
            #expect(texts.contains(read), "\(read.count) bytes that nobody wrote")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
  }
}
