import Testing

@testable import Assistant

@Suite struct NapTests {
  @Test("a nap that follows another lasts") func lastsAgain() async throws {
    let nap = Nap()
    await nap.sleep(.milliseconds(1))
    let second = Task { await nap.sleep(.seconds(3600)) }
    let ended = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await second.value
        return true
      }
      group.addTask {
        do { try await Task.sleep(for: .milliseconds(100)) } catch {}
        nap.wake()
        return false
      }
      let first = await group.next()
      return first
    }
    #expect(ended == false)
    await second.value
  }

  @Test("waking ends the nap that is on, or the next one") func wakes() async {
    let nap = Nap()
    nap.wake()
    await nap.sleep(.seconds(3600))
    let second = Task { await nap.sleep(.seconds(3600)) }
    nap.wake()
    await second.value
  }

  @Test("a cancelled task does not go on sleeping") func cancelled() async {
    let nap = Nap()
    let task = Task { await nap.sleep(.seconds(3600)) }
    task.cancel()
    await task.value
  }
}
