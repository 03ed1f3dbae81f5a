#if os(Linux)
  import Foundation

  /// The kernel's own alarm: it wakes us when tasks have waited for memory, and costs nothing until then.
  enum PressureAlarm {
    /// 100 ms of waiting within 2 s, the shortest window an unprivileged process may ask for.
    private static let trigger = "some 100000 2000000"

    /// Ticks at each alarm; silent for ever where the kernel has no triggers (polling then has to do).
    static func stream(_ path: String) -> AsyncStream<Void> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let pressure = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pressure >= 0 else { return }
        let armed = trigger.withCString { write(pressure, $0, strlen($0) + 1) }
        var ends: [CInt] = [-1, -1]
        guard armed > 0, pipe(&ends) == 0 else {
          close(pressure)
          return
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (stopped, stop) = (ends[0], ends[1])
        continuation.onTermination = { _ in close(stop) }
        let thread = Thread {
          defer {
            close(pressure)
            close(stopped)
          }
          var watched = [
            pollfd(fd: pressure, events: Int16(POLLPRI), revents: 0),
            pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
          ]
          while true {
            let count = poll(&watched, 2, -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || watched[1].revents != 0 || watched[0].revents & Int16(POLLERR) != 0 { return }
            if watched[0].revents & Int16(POLLPRI) != 0 { continuation.yield() }
          }
        }
        thread.name = "pressure"
        thread.stackSize = 64 << 10
        thread.start()
      }
    }
  }
#endif
