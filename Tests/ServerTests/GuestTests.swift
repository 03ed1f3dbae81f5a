import Core
import Foundation
import Testing

@testable import Server

@Suite("Pages of others that a person has allowed")
struct GuestTests {
  private static let page = "https://chat.example.org"

  @Test("Only the origins that are named may come, to what programs use, with a key, and only they may read the answer")
  func table() async throws {
    try await withPrograms(origins: [Self.page]) { desk in
      let session = try await desk.letIn().secret
      let from = ["Origin: \(Self.page)", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"]
      let cases: [(path: String, headers: [String], status: Int)] = [
        ("/v1/models", from + ["Authorization: Bearer \(desk.token)"], 200),
        ("/api/tags", from + ["Authorization: Bearer \(desk.token)"], 200),
        ("/v1/models", from, 401), ("/v1/models", from + ["Authorization: Bearer \(session)"], 401),
        ("/api/ping", from + ["Authorization: Bearer \(desk.token)"], 403), ("/", from, 403),
        ("/api/session/x", from, 403),
        ("/v1/models", ["Origin: https://chat.example.org.evil.test", "Authorization: Bearer \(desk.token)"], 403),
        ("/v1/models", ["Origin: http://chat.example.org", "Authorization: Bearer \(desk.token)"], 403),
        ("/v1/models", ["Origin: null", "Authorization: Bearer \(desk.token)"], 403),
      ]
      for (path, headers, status) in cases {
        let answer = try await desk.ask("GET", path, headers, token: false)
        #expect(answer.status == status, "\(path) \(headers)")
        let isGuest = headers.starts(with: from) && !["/", "/api/ping", "/api/session/x"].contains(path)
        #expect(answer.headers["access-control-allow-origin"] == (isGuest ? Self.page : nil), "\(path) \(headers)")
      }
    }
  }

  @Test("A browser that asks before it sends is told what it may send, from an origin that is named and no other")
  func before() async throws {
    try await withPrograms(origins: [Self.page]) { desk in
      let asks = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type"]
      let told = try await desk.ask("OPTIONS", "/v1/chat/completions", ["Origin: \(Self.page)"] + asks, token: false)
      #expect(told.status == 204 && told.headers["access-control-allow-origin"] == Self.page)
      #expect(told.headers["access-control-allow-headers"] == "authorization,content-type")
      let other = try await desk.ask(
        "OPTIONS", "/v1/chat/completions", ["Origin: https://evil.test"] + asks, token: false)
      #expect(other.status == 403 && other.headers["access-control-allow-origin"] == nil)
    }
    try await withPrograms { desk in
      let answer = try await desk.ask("GET", "/v1/models", ["Origin: \(Self.page)"])
      #expect(answer.status == 403 && answer.headers["access-control-allow-origin"] == nil)
    }
  }
}
