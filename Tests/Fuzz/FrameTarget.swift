import Core
import Foundation
import Safety
import Workers

/// What one process of ours reads from another: its frames, and what stands in the first of them.
final class Frames: Target {
  static let name = "frames"
  let seeds: [Seed]

  init() async throws {
    func bytes(_ frames: [WireFrame]) throws -> Data {
      let pair = try Spawner.socketPair()
      let (ours, theirs) = (Channel(pair.ours), FileHandle(fileDescriptor: pair.theirs, closeOnDealloc: true))
      for frame in frames { try ours.write(frame) }
      ours.finish()
      return try theirs.readToEnd() ?? Data()
    }
    var call = Data([4, 0]) + Data("echo".utf8)
    call += Data(#"{"a":[1,2]}"#.utf8)
    seeds = [
      Seed(try bytes([.hello(WorkerSetup(kind: "echo", seal: SealSpecification(readable: ["/tmp"])))])),
      Seed(
        try bytes([
          WireFrame(.call, request: 1, payload: call), WireFrame(.cancel, request: 1),
          WireFrame(.adjust, request: 2, payload: call),
          WireFrame(.event, request: 1, payload: Data(#""x""#.utf8)),
          WireFrame(.bytes, request: 1, payload: Data(count: 300)),
          WireFrame(.failed, request: 1, payload: Data(#"{"code":"a","message":"b"}"#.utf8)),
          WireFrame(.end, request: 1),
        ])),
    ]
  }

  func feed(_ input: Data) async throws {
    let pair = try Spawner.socketPair()
    let channel = Channel(pair.ours)
    // As much as a socket holds, so that one thread can do both.
    input.prefix(100_000).withUnsafeBytes { _ = write(pair.theirs, $0.baseAddress, $0.count) }
    close(pair.theirs)
    while let frame = try channel.read() {
      for file in frame.files { close(file) }
      do { _ = try frame.readHello(WorkerSetup.self) } catch { continue }
    }
  }
}
