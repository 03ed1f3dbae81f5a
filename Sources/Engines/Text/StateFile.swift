import CLlama
import Core
import Foundation
import Inference

/// The evaluated state of a conversation in a file, tied to the model and to how its state is laid out.
///
/// Layout, little-endian: magic, version, model fingerprint, digest of all that follows, number of tokens, bytes of state;
/// then the tokens, then llama.cpp's state.
struct StateFile {
  let descriptor: CInt

  private static let magic: UInt64 = 0x3154_5453_4152_424c  // "LBRASTT1"
  private static let headBytes = 48

  func save(_ conversation: Conversation) throws {
    let context = conversation.context
    let tokens = conversation.tokens
    let stateBytes = llama_state_seq_get_size(context.pointer, 0)
    let tokenBytes = tokens.count * MemoryLayout<Token>.size
    let total = Self.headBytes + tokenBytes + stateBytes
    guard ftruncate(descriptor, off_t(total)) == 0 else { throw Self.failure() }
    try withMapping(total, writable: true) { file in
      tokens.withUnsafeBytes {
        file.baseAddress!.advanced(by: Self.headBytes).copyMemory(from: $0.baseAddress!, byteCount: tokenBytes)
      }
      let state = file.baseAddress!.advanced(by: Self.headBytes + tokenBytes)
      let written = llama_state_seq_get_data(
        context.pointer, state.assumingMemoryBound(to: UInt8.self), stateBytes, 0)
      guard written > 0, written <= stateBytes else {
        throw EngineError.stateRefused(reason: "llama.cpp could not write it")
      }
      var body = Fingerprint()
      body.add(UnsafeRawBufferPointer(rebasing: file[Self.headBytes...]))
      let head = [
        Self.magic, Self.layout(of: context), body.value, UInt64(tokens.count), UInt64(stateBytes), UInt64(written),
      ]
      head.withUnsafeBytes { file.copyMemory(from: $0) }
    }
  }

  /// Replaces the conversation's state; returns the number of tokens it then holds. A refused file changes nothing.
  func load(into conversation: Conversation) throws -> Int {
    let context = conversation.context
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure() }
    let size = Int(status.st_size)
    guard size >= Self.headBytes else { throw EngineError.stateRefused(reason: "the file is too short") }
    return try withMapping(size, writable: false) { file in
      func word(_ index: Int) -> UInt64 { file.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
      guard word(0) == Self.magic else { throw EngineError.stateRefused(reason: "it is not a saved state") }
      guard word(1) == Self.layout(of: context) else {
        throw EngineError.stateRefused(reason: "it was saved with another model or other settings")
      }
      guard let count = Int(exactly: word(3)), let stateBytes = Int(exactly: word(4)), let used = Int(exactly: word(5)),
        count <= context.contextTokens, stateBytes <= size, used <= stateBytes,
        size == Self.headBytes + count * MemoryLayout<Token>.size + stateBytes
      else { throw EngineError.stateRefused(reason: "its parts do not add up, or it is larger than the context") }
      var body = Fingerprint()
      body.add(UnsafeRawBufferPointer(rebasing: file[Self.headBytes...]))
      guard body.value == word(2) else { throw EngineError.stateRefused(reason: "it is damaged") }

      let tokens = (0..<count).map {
        file.loadUnaligned(fromByteOffset: Self.headBytes + $0 * MemoryLayout<Token>.size, as: Token.self)
      }
      let state = file.baseAddress!.advanced(by: size - stateBytes).assumingMemoryBound(to: UInt8.self)
      conversation.cut(to: 0)
      EngineLog.clear()
      guard llama_state_seq_set_data(context.pointer, state, used, 0) > 0, context.end(of: 0) == count else {
        conversation.cut(to: 0)
        throw EngineError.stateRefused(reason: EngineLog.reason(orElse: "llama.cpp refused it"))
      }
      conversation.adopt(tokens)
      return count
    }
  }

  /// Everything that decides whether state from one context means the same in another.
  private static func layout(of context: LlamaContext) -> UInt64 {
    var digest = Fingerprint()
    digest.add(context.model.fingerprint)
    digest.add(context.kvType.rawValue)
    digest.add(String(cString: llama_version()))
    digest.add(context.flashAttention.map { $0 ? 2 : 1 } ?? 0)
    if let adapter = context.model.adapter { digest.add(UInt64(adapter.scale.bitPattern) ^ adapter.fingerprint) }
    return digest.value
  }

  private func withMapping<Result>(
    _ size: Int, writable: Bool, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  )
    throws -> Result
  {
    guard let address = mmap(nil, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0),
      address != MAP_FAILED
    else { throw Self.failure() }
    defer { munmap(address, size) }
    return try body(UnsafeMutableRawBufferPointer(start: address, count: size))
  }

  private static func failure() -> EngineError { .stateRefused(reason: String(cString: strerror(errno))) }
}
