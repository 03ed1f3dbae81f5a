import CVector
import Core
import Foundation

/// One block of a vector file, mapped for reading. The mapping lives as long as any search holds it, whatever becomes of the
/// file's name.
// The mapped memory is read-only here; the one writer changes whole slots through the file, and a slot that is being erased
// is recognised by its chunk id of zero.
final class VectorBlock: @unchecked Sendable {
  let layout: VectorLayout
  private let base: UnsafeRawPointer

  init(descriptor: CInt, block: Int, layout: VectorLayout) throws(StorageError) {
    self.layout = layout
    let mapped = mmap(
      nil, layout.blockBytes, PROT_READ, MAP_SHARED, descriptor, off_t(layout.offset(ofBlock: block)))
    guard let mapped, mapped != MAP_FAILED else {
      throw .unreadable(path: "vectors", reason: systemReason())
    }
    base = UnsafeRawPointer(mapped)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: base), layout.blockBytes) }

  private func column<Element>(_ offset: Int, _ type: Element.Type) -> UnsafePointer<Element> {
    (base + offset).assumingMemoryBound(to: type)
  }
  var chunks: UnsafePointer<Int64> { column(layout.chunks, Int64.self) }
  var documents: UnsafePointer<UInt32> { column(layout.documents, UInt32.self) }
  var scales: UnsafePointer<Float> { column(layout.scales, Float.self) }
  var factors: UnsafePointer<Float> { column(layout.factors, Float.self) }
  var codes: UnsafePointer<UInt64> { column(layout.codes, UInt64.self) }
  var values: UnsafePointer<Int16> { column(layout.values, Int16.self) }

  func estimate(_ query: VectorQuery, from start: Int, count: Int, into scores: UnsafeMutablePointer<Float>) {
    cvector_estimate(
      codes + start * layout.words, factors + start, layout.words, count, query.planes, query.step, query.sum, scores)
  }

  func products(_ query: VectorQuery, from start: Int, count: Int, into scores: UnsafeMutablePointer<Float>) {
    cvector_products(values + start * layout.padded, scales + start, layout.padded, count, query.values, scores)
  }
}

/// A query in the forms the two stages need.
struct VectorQuery: Sendable {
  let values: [Float]
  let planes: [UInt64]
  let step: Float
  let sum: Float

  init(_ vector: [Float], _ layout: VectorLayout) {
    let padded = vector + [Float](repeating: 0, count: layout.padded - vector.count)
    var planes = [UInt64](repeating: 0, count: 4 * layout.words)
    step = cvector_planes(padded, padded.count, &planes)
    // The estimate counts each set bit twice and then takes away what all bits together weigh. It must be the sum of the
    // rounded values, or the rounding would lean to one side.
    let step = self.step
    sum = step == 0 ? 0 : padded.reduce(0) { $0 + ($1 / step).rounded(.toNearestOrEven) * step }
    values = padded
    self.planes = planes
  }
}
