import CLinux

/// What the allocator of this process does.
package enum Heap {
  /// For the first line of the main process, which runs for long: its threads share one heap, whose holes are filled again. Heaps of
  /// their own grow and shrink apart. Not for workers: that of speech was too late with every word (Benchmarks/server.md).
  package static func useOne() { libera_one_heap() }
}
