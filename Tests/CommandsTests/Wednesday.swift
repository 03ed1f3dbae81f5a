import Foundation
import Testing

@testable import Commands

extension TimeResolver {
  /// The moment that the tests speak at: Wednesday 10 June 2026, half past nine.
  static func wednesday(in zone: String = "Europe/Berlin") throws -> TimeResolver {
    let zone = try #require(TimeZone(identifier: zone))
    return try #require(TimeResolver(local: "2026-06-10T09:30:00", zone: zone))
  }
}
