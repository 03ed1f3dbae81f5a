import Core
import Foundation
import Testing

@testable import Assistant

@Suite("What is traced of an answer")
struct TracesTests {
  @Test("Its parts follow each other and fill its time; no word of the person stands in it; it goes with the logs")
  func traced() async throws {
    let home = try OpenHouse()
    let file = try home.write("The warden of Xylophonquark keeps the keys in the tower.", to: "keys.txt")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    let record = try #require(
      try await home.all(Ask.self, .init(question: "Where are the keys of Xylophonquark?", provider: .extractive))
        .compactMap(\.done).last)
    let trace = try #require(try await home.all(ShowTrace.self, Nothing()).first)
    let answer = try #require(trace.traceEvents.first { $0.name == "answer" })
    #expect(answer.args?["mode"] == .text("fast") && answer.args?["provider"] == .text("extractive"))
    let parts = trace.traceEvents.filter { $0.cat == "phase" }
    #expect(parts.map(\.name) == ["find evidence", "weigh its sentences", "keep"])
    #expect(parts.first?.ts == answer.ts && parts.allSatisfy { $0.tid == answer.tid })
    #expect(abs(Double(answer.dur ?? 0) / 1000 - record.timings.totalMs) < 1000)
    let written = try #require(FileManager.default.contents(atPath: home.folders.traceLog.path))
    #expect(!String(decoding: written, as: UTF8.self).lowercased().contains("xylophonquark"))
    #expect(try await home.all(MeasureData.self, .init(kind: .logs))[0].goes.map(\.count) == [0, 1])
    _ = try await home.all(DestroyData.self, .init(kind: .logs))
    #expect(!FileManager.default.fileExists(atPath: home.folders.traceLog.path))
    #expect(try await home.all(ShowTrace.self, Nothing())[0].traceEvents.filter { $0.name == "answer" }.isEmpty)
  }
}
