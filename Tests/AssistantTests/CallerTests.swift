import Core
import Foundation
import Testing

@testable import Assistant

@Suite("Who asks")
struct CallerTests {
  @Test("An operation does nothing for somebody without the right it needs")
  func rights() async throws {
    let home = try OpenHouse()
    for operation in Operations.all {
      for right in Right.allCases where right != operation.right {
        let narrow = Caller.key(id: "k", rights: [right])
        await #expect(throws: CallerError.lacks([operation.right]), "\(operation.name)") {
          for try await _ in operation.run(Data("{}".utf8), narrow, home.house) {}
        }
      }
      await #expect(throws: CallerError.self) {
        for try await _ in operation.run(Data("{}".utf8), .stranger, home.house) {}
      }
    }
    try home.remove()
  }

  @Test("A link that lets a browser in is given to a terminal alone")
  func links() async throws {
    let home = try OpenHouse()
    let page = try #require(Operations.named("page"))
    for caller in [Caller.page(session: "s"), .key(id: "k", rights: Set(Right.allCases))] {
      await #expect(throws: CallerError.self) {
        for try await _ in page.run(Data("{}".utf8), caller, home.house) {}
      }
    }
    for try await _ in page.run(Data("{}".utf8), .terminal, home.house) {}
    try home.remove()
  }

  @Test("No name stands for two operations")
  func names() {
    #expect(Set(Operations.all.map(\.name)).count == Operations.all.count)
  }
}
