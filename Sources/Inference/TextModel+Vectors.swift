import Core
import Foundation
import Workers

extension TextModel {
  package func embed(
    _ texts: [String], long: EmbedRequest.Long = .fails, threads: Int? = nil, asQuestions: Bool = false
  ) async throws -> Embeddings {
    try await embed(.texts(texts), long: long, threads: threads, asQuestions: asQuestions)
  }

  /// Normalised vectors in one row after the other; however many texts, in portions that other calls can come between.
  package func embed(
    _ input: EmbedInput, long: EmbedRequest.Long = .fails, threads: Int? = nil, asQuestions: Bool = false
  ) async throws -> Embeddings {
    var request = EmbedRequest(input)
    (request.long, request.threads, request.asQuestions) = (long, threads, asQuestions)
    return try await asking { [request] in try await self.embed(request, on: $0) }
  }

  private static func most(_ vectors: Int, of dimensions: Int) -> ReplyBound {
    .bytes(1 << 20 + vectors * (dimensions * MemoryLayout<Float>.size + WireFrame.headerBytes))
  }

  private func embed(
    _ whole: EmbedRequest, on loaded: Loaded
  ) async throws -> Embeddings {
    var result = Embeddings(dimensions: loaded.info.dimensions)
    result.values.reserveCapacity(whole.input.count * loaded.info.dimensions)
    for start in stride(from: 0, to: whole.input.count, by: 256) {
      let portion = whole.input[start..<min(start + 256, whole.input.count)]
      var request = whole
      request.input = portion
      let most = Self.most(portion.count, of: result.dimensions)
      for try await reply in loaded.worker.call("embed", request, most: most) {
        switch reply {
        case .bytes(let data): result.append(data)
        case .event(let data):
          result.report.add(try JSON.decode(EmbedReport.self, from: data))
        }
      }
      try Task.checkCancellation()
      guard result.values.count == (start + portion.count) * result.dimensions else {
        throw WorkerError.malformed("vectors of a wrong number")
      }
    }
    return result
  }

  /// What the adapter makes of each text: the mean of its tokens' vectors, then one vector for each word that was read.
  package func read(_ texts: [[String]]) async throws -> [Embeddings] {
    try await asking { try await self.read(texts, on: $0) }
  }

  private func read(_ texts: [[String]], on loaded: Loaded) async throws -> [Embeddings] {
    let dimensions = loaded.info.dimensions
    var all = Embeddings(dimensions: dimensions)
    var counts: [Int] = []
    let vectors = texts.reduce(texts.count) { $0 + $1.count }
    for try await reply in loaded.worker.call("read", ReadRequest(texts), most: Self.most(vectors, of: dimensions)) {
      switch reply {
      case .bytes(let data): all.append(data)
      case .event(let data): counts = try JSON.decode([Int].self, from: data)
      }
    }
    try Task.checkCancellation()
    guard counts.count == texts.count, all.count == counts.reduce(texts.count, +) else {
      throw WorkerError.malformed("vectors of a wrong number")
    }
    var rows = all.values[...]
    return counts.map { count in
      var one = Embeddings(dimensions: dimensions)
      one.values = Array(rows.prefix((1 + count) * dimensions))
      rows = rows.dropFirst((1 + count) * dimensions)
      return one
    }
  }
}
