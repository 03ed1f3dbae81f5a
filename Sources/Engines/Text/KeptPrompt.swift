import Core
import Foundation
import Inference

/// A conversation's evaluated beginning in a file: a heading, the tokens, and their state as llama.cpp writes it.
struct KeptPrompt {
  private struct Heading: Codable {
    var stamp: String
    var tokens: Int
    var stateBytes: Int
    var checksum: UInt64
  }

  private let file: FileHandle

  init(_ descriptor: CInt) { file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false) }

  func write(_ conversation: HeldConversation, _ request: KeptPromptRequest) throws -> Int {
    let tokens = conversation.tokens
    guard !tokens.isEmpty, let state = try conversation.context.state(of: 0, mostBytes: request.mostBytes) else {
      return 0
    }
    let words = tokens.withUnsafeBytes { Data($0) }
    let heading = try JSON.encode(
      Heading(
        stamp: request.stamp, tokens: tokens.count, stateBytes: state.count, checksum: Self.checksum(words, state)))
    try file.write(contentsOf: withUnsafeBytes(of: UInt32(heading.count)) { Data($0) } + heading + words)
    try file.write(contentsOf: state)
    return tokens.count
  }

  /// Nothing where the file was written for something else; an error where it is not what was written.
  func read(into conversation: HeldConversation, _ request: KeptPromptRequest) throws -> Int {
    let length = try bytes(MemoryLayout<UInt32>.size).withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
    let heading = try JSON.decode(Heading.self, from: bytes(min(length, 1 << 16)))
    guard heading.stamp == request.stamp, heading.tokens <= conversation.context.contextTokens,
      heading.stateBytes <= request.mostBytes
    else { return 0 }
    let words = try bytes(heading.tokens * MemoryLayout<TokenID>.size)
    let state = try bytes(heading.stateBytes)
    guard Self.checksum(words, state) == heading.checksum else {
      throw EngineError.stateRefused(reason: "the file is damaged")
    }
    let tokens = words.withUnsafeBytes { Array($0.bindMemory(to: TokenID.self)) }
    try conversation.takeUp(state, of: tokens)
    return tokens.count
  }

  private func bytes(_ count: Int) throws -> Data {
    guard count > 0, let data = try file.read(upToCount: count), data.count == count else {
      throw EngineError.stateRefused(reason: "the file ends too soon")
    }
    return data
  }

  /// Finds what a disk or an interrupted write has changed; it is no proof against intent.
  private static func checksum(_ parts: Data...) -> UInt64 {
    var sum: UInt64 = 0
    for part in parts {
      part.withUnsafeBytes { bytes in
        let whole = bytes.count / 8 * 8
        for place in stride(from: 0, to: whole, by: 8) {
          sum = (sum ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
          sum ^= sum >> 29
        }
        for place in whole..<bytes.count { sum = (sum ^ UInt64(bytes[place])) &* 0x9E37_79B9_7F4A_7C15 }
      }
    }
    return sum
  }
}
