import Core
import Foundation

extension TimeResolver {
  /// For an utterance with the moment, the zone and the form of English that came with it; each is this device's where none came.
  package init(now: String?, zone name: String?, locale: String?) throws {
    try Language.check()
    var zone = TimeZone.current
    if let name {
      guard let found = TimeZone(identifier: name) ?? TimeZone(abbreviation: name) else { throw MomentError.zone(name) }
      zone = found
    }
    let english = English(locale: locale ?? Locale.current.identifier)
    guard let now else {
      self.init(reference: Date(), zone: zone, english: english)
      return
    }
    if let local = TimeResolver(local: now, zone: zone, english: english) {
      self = local
      return
    }
    guard let date = try? Date(now, strategy: .iso8601) else { throw MomentError.moment(now) }
    self.init(reference: date, zone: zone, english: english)
  }
}

package enum MomentError: Explained {
  case zone(String)
  case moment(String)

  package var code: String { "usage" }
  package var message: String {
    switch self {
    case .zone(let name): "There is no time zone \"\(name)\"."
    case .moment(let text): "\"\(text)\" is no moment."
    }
  }
  package var remedy: String? {
    switch self {
    case .zone: "Zones are named as in Europe/Berlin."
    case .moment: "Write it as in 2026-06-10T09:30:00."
    }
  }
}
