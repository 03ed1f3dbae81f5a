extension Duration {
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
  package var milliseconds: Double { seconds * 1000 }
}

extension ContinuousClock.Instant {
  package var msUntilNow: Double { (ContinuousClock.now - self).milliseconds }
}
