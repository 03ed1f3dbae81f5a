import Core
import Foundation
package import Safety
import Synchronization

/// The inside of a worker: greets, seals, then serves calls one after the other until the other side goes.
///
/// Two threads: this one runs the engine, a reader thread takes frames and so can cancel, adjust and notice the end while the
/// engine is busy.
package enum Host {
  /// How long an engine may take to come back once the other side has gone, before the process ends without it.
  private static let grace = 0.25

  /// `engine` is made after sealing. `given` is the seal that the launcher wants; then whoever greets has no say in it.
  /// `reachesCard`: takes up what computes on a graphics card, asked before sealing and only where the seal would reach one; false
  /// where there is none, and the seal is narrower. Never returns.
  package static func run(
    kind: String, seal given: SealSpecification? = nil, socket: CInt = 3, reachesCard: () -> Bool = { false },
    engine: (WorkerSetup) throws -> any Engine
  ) -> Never {
    let channel = Channel(socket)
    let memory = OwnMemory()
    let setup: WorkerSetup
    do {
      guard let frame = try channel.read() else { exit(EX_OK) }
      do { setup = try frame.readHello(WorkerSetup.self) } catch {
        // The other side learns our version from our greeting before we go.
        try channel.write(.hello(WorkerGreeting(kind: kind, process: getpid(), seal: .unsealed("it never began"))))
        throw error
      }
      guard setup.kind == kind else { throw WorkerError.malformed("a greeting for a \(setup.kind) worker") }
      guard var specification = given ?? setup.seal else { throw WorkerError.malformed("a greeting without a seal") }
      if specification.profile == .gpuEngine, !GraphicsCard.isHere || !reachesCard() { specification.profile = .engine }
      let seal = Seal.worker(specification, files: given == nil ? frame.files : [])
      let made: any Engine
      do { made = try engine(setup) } catch { made = AbsentEngine(RemoteError(error)) }
      try channel.write(.hello(WorkerGreeting(kind: kind, process: getpid(), seal: seal)))
      serve(made, on: channel, memory)
    } catch { fail(error) }
  }

  private static func serve(_ engine: any Engine, on channel: Channel, _ memory: OwnMemory) -> Never {
    let service = CallService(engine, on: channel)
    service.bounds = StretchWatch(memory) { error in
      service.giveUp(error)
      FileHandle.standardError.write(Data("libera-worker: \(RemoteError(error).message)\n".utf8))
      _exit(EX_TEMPFAIL)
    }
    let hasHeard = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do { try service.listen() } catch { fail(error) }
      hasHeard.signal()
      Thread.sleep(forTimeInterval: grace)
      _exit(EX_OK)
    }
    service.run()
    // What could not be understood ends the process with a code of its own.
    hasHeard.wait()
    _exit(EX_OK)
  }

  private static func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("libera-worker: \(error)\n".utf8))
    _exit(EX_PROTOCOL)
  }
}
