import Commands
import Core
import Foundation

/// The moment, zone and form of English that an utterance is understood by.
enum Moment {
  static func resolver(now: String?, zone name: String?, locale: String?) throws -> TimeResolver {
    try Language.check()
    var zone = TimeZone.current
    if let name {
      guard let found = TimeZone(identifier: name) ?? TimeZone(abbreviation: name) else { throw MomentError.zone(name) }
      zone = found
    }
    let english = TimeResolver.English(locale: locale ?? Locale.current.identifier)
    guard let now else { return TimeResolver(reference: Date(), zone: zone, english: english) }
    if let resolver = TimeResolver(local: now, zone: zone, english: english) { return resolver }
    do {
      return TimeResolver(reference: try Date(now, strategy: .iso8601), zone: zone, english: english)
    } catch { throw MomentError.moment(now) }
  }
}

enum MomentError: Explained {
  case zone(String)
  case moment(String)

  var code: String { "usage" }
  var message: String {
    switch self {
    case .zone(let name): "There is no time zone \"\(name)\"."
    case .moment(let text): "\"\(text)\" is no moment."
    }
  }
  var remedy: String? {
    switch self {
    case .zone: "Zones are named as in Europe/Berlin."
    case .moment: "Write it as in 2026-06-10T09:30:00."
    }
  }
}
