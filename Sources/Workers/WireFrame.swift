import Core
package import Foundation

/// One message on a socket between two of our processes: a header of 16 bytes, then the payload.
///
/// ```
/// length u32 | kind u8 | descriptors u8 | zero u16 | request u64 | payload (length bytes)      little-endian
/// ```
/// The header and the hello frame never change their shape, so that programs of different versions can still tell each other
/// so; everything else may change with `Frame.version`.
package struct WireFrame: Sendable {
  package enum Kind: UInt8, Sendable {
    /// Both sides' first frame: the version as u16, then JSON (`WorkerSetup` out, `WorkerGreeting` back).
    case hello = 1
    /// To the worker. A call's payload: length of the name u16, name, body.
    case call = 2
    case cancel = 3
    case adjust = 4
    /// Back. A call ends with exactly one `end` or `failed`.
    case event = 16
    case bytes = 17
    case end = 18
    case failed = 19
    /// As `failed`, of a process that ends with the call: nothing more can be asked of it.
    case ended = 20
  }

  package static let version: UInt16 = 1
  package static let headerBytes = 16
  /// Larger things travel as a descriptor (a file or memfd).
  package static let mostBytes = 16 << 20
  package static let mostDescriptors = 16

  package var kind: Kind
  package var request: UInt64
  package var payload: Data
  package var files: [CInt]

  package init(_ kind: Kind, request: UInt64 = 0, payload: Data = Data(), files: [CInt] = []) {
    self.kind = kind
    self.request = request
    self.payload = payload
    self.files = files
  }

  /// What stands in the first 16 bytes.
  struct Header {
    var length: Int
    var kind: Kind
    var descriptors: Int
    var request: UInt64

    init(_ kind: Kind, request: UInt64, length: Int, descriptors: Int) throws {
      guard length <= WireFrame.mostBytes, descriptors <= WireFrame.mostDescriptors else {
        throw WorkerError.tooLarge(length)
      }
      self.length = length
      self.kind = kind
      self.descriptors = descriptors
      self.request = request
    }

    init(reading bytes: UnsafeRawBufferPointer) throws {
      let length = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
      let zero = bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
      guard let kind = Kind(rawValue: bytes[4]), zero == 0 else {
        throw WorkerError.malformed("an unknown kind of frame")
      }
      self.kind = kind
      self.length = Int(length)
      descriptors = Int(bytes[5])
      request = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      guard self.length <= WireFrame.mostBytes else { throw WorkerError.malformed("a frame of \(length) bytes") }
      guard descriptors <= WireFrame.mostDescriptors else {
        throw WorkerError.malformed("a frame with \(descriptors) descriptors")
      }
    }

    func write(to bytes: UnsafeMutableRawBufferPointer) {
      bytes.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 0, as: UInt32.self)
      bytes[4] = kind.rawValue
      bytes[5] = UInt8(descriptors)
      bytes.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
      bytes.storeBytes(of: request.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
  }

  static func call(_ operation: String, _ body: Data, request: UInt64, files: [CInt]) -> WireFrame {
    var payload = Data(capacity: 2 + operation.utf8.count + body.count)
    withUnsafeBytes(of: UInt16(truncatingIfNeeded: operation.utf8.count).littleEndian) {
      payload.append(contentsOf: $0)
    }
    payload.append(contentsOf: operation.utf8)
    payload.append(body)
    return WireFrame(.call, request: request, payload: payload, files: files)
  }

  /// Name and body of a call frame.
  func readCall() throws -> (operation: String, body: Data) {
    guard payload.count >= 2 else { throw WorkerError.malformed("a call without a name") }
    let start = payload.startIndex
    let length = Int(payload[start]) | Int(payload[start + 1]) << 8
    guard payload.count >= 2 + length,
      let name = String(validating: payload[(start + 2)..<(start + 2 + length)], as: UTF8.self)
    else { throw WorkerError.malformed("a call whose name is cut off or not UTF-8") }
    return (name, Data(payload[(start + 2 + length)...]))
  }

  package static func hello(_ body: some Encodable, files: [CInt] = []) throws -> WireFrame {
    var payload = withUnsafeBytes(of: version.littleEndian) { Data($0) }
    payload.append(try JSON.encode(body))
    return WireFrame(.hello, payload: payload, files: files)
  }

  package func readHello<Body: Decodable>(_ type: Body.Type) throws -> Body {
    guard kind == .hello, payload.count >= 2 else { throw WorkerError.malformed("something before the greeting") }
    let start = payload.startIndex
    let theirs = UInt16(payload[start]) | UInt16(payload[start + 1]) << 8
    guard theirs == WireFrame.version else { throw WorkerError.version(ours: WireFrame.version, theirs: theirs) }
    do { return try JSON.decode(type, from: payload.dropFirst(2)) } catch {
      throw WorkerError.malformed("an unreadable greeting")
    }
  }
}
