import CVector
import Core
package import Foundation
import Synchronization

/// The vectors of one embedder in a form that is fast to search. Everything in it can be made again from the vault, so a file
/// that is missing, damaged or behind is simply brought up to date.
///
/// Vectors are added at the end; a removed one is overwritten with zeros where it lies; a file with much room lost to removed
/// vectors is written anew under another name that then replaces it.
package final class VectorStore: Sendable {
  package struct Entry {
    var chunk: Int64
    var document: UInt32
    var vector: PackedVector

    package init(chunk: Int64, document: UInt32, vector: PackedVector) {
      self.chunk = chunk
      self.document = document
      self.vector = vector
    }
  }

  private struct State {
    var descriptor: CInt
    var header: VectorHeader
    var blocks: [VectorBlock]
    var removed: Int
  }

  let file: URL
  let layout: VectorLayout
  private let state: Mutex<State>

  /// Opens or creates the file. One that cannot be trusted starts empty at revision -1.
  package init(file: URL, dimensions: Int) throws {
    self.file = file
    layout = VectorLayout(dimensions: dimensions)
    state = Mutex(try Self.open(file, layout))
  }

  deinit { state.withLock { _ = close($0.descriptor) } }

  private static func open(_ file: URL, _ layout: VectorLayout) throws -> State {
    let descriptor = openFile(file.path)
    guard descriptor >= 0 else { throw PrivateFile.failure(file) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw PrivateFile.failure(file) }
    var bytes = Data(count: 32)
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, 32, 0) }
    let found = got == 32 ? VectorHeader(bytes, fileBytes: Int(status.st_size)) : nil
    guard let header = found, header.dimensions == layout.dimensions else {
      guard ftruncate(descriptor, 0) == 0 else { throw PrivateFile.failure(file) }
      let empty = VectorHeader(dimensions: layout.dimensions, used: 0, revision: -1)
      return State(descriptor: descriptor, header: empty, blocks: [], removed: 0)
    }
    let count = (header.used + VectorLayout.slots - 1) / VectorLayout.slots
    let blocks = try (0..<count).map { try VectorBlock(descriptor: descriptor, block: $0, layout: layout) }
    var state = State(descriptor: descriptor, header: header, blocks: blocks, removed: 0)
    each(state) { block, slot in if block.chunks[slot] == 0 { state.removed += 1 } }
    return state
  }

  private static func openFile(_ path: String) -> CInt {
    #if canImport(Glibc)
      Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    #else
      Darwin.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    #endif
  }

  private static func each(_ state: borrowing State, _ body: (VectorBlock, Int) -> Void) {
    for (index, block) in state.blocks.enumerated() {
      for slot in 0..<min(VectorLayout.slots, state.header.used - index * VectorLayout.slots) { body(block, slot) }
    }
  }

  var revision: Int64 { state.withLock { $0.header.revision } }
  var count: Int { state.withLock { $0.header.used - $0.removed } }

  /// The chunks that have a vector here.
  func chunks() -> Set<Int64> {
    state.withLock { state in
      var found: Set<Int64> = []
      Self.each(state) { block, slot in if block.chunks[slot] != 0 { found.insert(block.chunks[slot]) } }
      return found
    }
  }

  /// What a search works on: it stays valid while vectors come and go.
  func reading() -> (blocks: [VectorBlock], used: Int) { state.withLock { ($0.blocks, $0.header.used) } }

  /// Brings the file to `revision`: vectors gone, vectors new.
  package func apply(removing gone: Set<Int64>, adding entries: [Entry], revision: Int64) throws {
    // Only the vault's one writer comes here. A search never waits while the disk is written.
    let descriptor = try state.withLock { state in
      try Self.erase(gone, layout, &state)
      try Self.append(entries, layout, &state)
      return state.descriptor
    }
    #if canImport(Glibc)
      let isWritten = fdatasync(descriptor) == 0
    #else
      // Apple's headers have no other.
      let isWritten = fsync(descriptor) == 0
    #endif
    guard isWritten else { throw StorageError.full }
    try state.withLock { state in
      state.header.revision = revision
      try Self.put(state.header.bytes, at: 0, state.descriptor)
      if state.removed > VectorLayout.slots, state.removed * 4 > state.header.used { try compact(&state) }
    }
  }

  private static func erase(_ gone: Set<Int64>, _ layout: VectorLayout, _ state: inout State) throws {
    guard !gone.isEmpty else { return }
    var places: [(block: Int, slot: Int)] = []
    for (index, block) in state.blocks.enumerated() {
      for slot in 0..<min(VectorLayout.slots, state.header.used - index * VectorLayout.slots)
      where block.chunks[slot] != 0 && gone.contains(block.chunks[slot]) {
        places.append((index, slot))
      }
    }
    for (block, slot) in places {
      try write(block: block, slot: slot, layout, state.descriptor, Slot(empty: layout))
      state.removed += 1
    }
  }

  private static func append(_ entries: [Entry], _ layout: VectorLayout, _ state: inout State) throws {
    for entry in entries {
      let (block, slot) = state.header.used.quotientAndRemainder(dividingBy: VectorLayout.slots)
      if block == state.blocks.count {
        guard ftruncate(state.descriptor, off_t(layout.offset(ofBlock: block + 1))) == 0 else {
          throw StorageError.full
        }
        state.blocks.append(try VectorBlock(descriptor: state.descriptor, block: block, layout: layout))
      }
      try write(block: block, slot: slot, layout, state.descriptor, Slot(entry, layout))
      state.header.used += 1
    }
  }

  /// The chunk id goes last when a slot is filled and first when it is emptied: a search never sees one half done.
  private static func write(
    block: Int, slot: Int, _ layout: VectorLayout, _ descriptor: CInt, _ content: Slot
  ) throws {
    let base = layout.offset(ofBlock: block)
    func putID() throws { try put(content.chunk, at: base + layout.chunks + 8 * slot, descriptor) }
    if content.isEmpty { try putID() }
    try put(content.document, at: base + layout.documents + 4 * slot, descriptor)
    try put(content.scale, at: base + layout.scales + 4 * slot, descriptor)
    try put(content.factor, at: base + layout.factors + 4 * slot, descriptor)
    try put(content.code, at: base + layout.codes + 8 * layout.words * slot, descriptor)
    try put(content.values, at: base + layout.values + 2 * layout.padded * slot, descriptor)
    if !content.isEmpty { try putID() }
  }

  private static func put(_ data: Data, at offset: Int, _ descriptor: CInt) throws {
    guard Descriptor.write(data, to: descriptor, at: offset) else {
      throw PrivateFile.failure(URL(filePath: "vectors"))
    }
  }

  /// Writes what is left into a new file that takes this one's name; searches under way keep the old one.
  private func compact(_ state: inout State) throws {
    let draft = file.appendingPathExtension("draft")
    try PrivateFile.remove(draft)
    var fresh = try Self.open(draft, layout)
    for (index, block) in state.blocks.enumerated() {
      var kept: [Entry] = []
      for slot in 0..<min(VectorLayout.slots, state.header.used - index * VectorLayout.slots)
      where block.chunks[slot] != 0 {
        var vector = PackedVector([])
        vector.scale = block.scales[slot]
        vector.values = Array(
          UnsafeBufferPointer(start: block.values + slot * layout.padded, count: layout.dimensions))
        kept.append(Entry(chunk: block.chunks[slot], document: block.documents[slot], vector: vector))
      }
      try Self.append(kept, layout, &fresh)
    }
    fresh.header.revision = state.header.revision
    try Self.put(fresh.header.bytes, at: 0, fresh.descriptor)
    try PrivateFile.replace(file, with: draft)
    close(state.descriptor)
    state = fresh
  }
}

/// The bytes of one vector's place in each column.
private struct Slot {
  var isEmpty: Bool
  var chunk: Data
  var document: Data
  var scale: Data
  var factor: Data
  var code: Data
  var values: Data

  init(empty layout: VectorLayout) {
    isEmpty = true
    chunk = Data(count: 8)
    document = Data(count: 4)
    scale = Data(count: 4)
    factor = Data(count: 4)
    code = Data(count: 8 * layout.words)
    values = Data(count: 2 * layout.padded)
  }

  init(_ entry: VectorStore.Entry, _ layout: VectorLayout) {
    let padded = entry.vector.values + [Int16](repeating: 0, count: layout.padded - entry.vector.values.count)
    var bits = [UInt64](repeating: 0, count: layout.words)
    let factor = cvector_sign(padded, entry.vector.scale, padded.count, &bits)
    isEmpty = false
    chunk = withUnsafeBytes(of: entry.chunk) { Data($0) }
    document = withUnsafeBytes(of: entry.document) { Data($0) }
    scale = withUnsafeBytes(of: entry.vector.scale) { Data($0) }
    self.factor = withUnsafeBytes(of: factor) { Data($0) }
    code = bits.withUnsafeBytes { Data($0) }
    values = padded.withUnsafeBytes { Data($0) }
  }
}
