#if os(Linux)
  import Foundation
  import Synchronization
  import Testing

  @testable import libera

  @Suite("Ctrl-C", .serialized)
  struct InterruptTests {
    /// To the thread that runs this, whether it takes signals or not: it has been heard when this returns.
    private func press() {
      var (signals, before) = (sigset_t(), sigset_t())
      sigemptyset(&signals)
      sigaddset(&signals, SIGINT)
      pthread_sigmask(SIG_UNBLOCK, &signals, &before)
      raise(SIGINT)
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    @Test("It is heard in the first and in the last moment of the work, however soon another work follows")
    func moments() async throws {
      for _ in 0..<50 {
        #expect(try await Interrupt.stopping({}) { press() })
        #expect(try await !Interrupt.stopping({}) {})
        await #expect(throws: CancellationError.self) { try await Interrupt.cancelling { press() } }
      }
    }

    @Test("It stops what goes on, and one that came before is no other one's")
    func stops() async throws {
      for _ in 0..<3 {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let pressed = try await Interrupt.stopping({ stop.finish() }) {
          press()
          for await _ in stops {}
        }
        #expect(pressed)
      }
    }
  }
#endif
