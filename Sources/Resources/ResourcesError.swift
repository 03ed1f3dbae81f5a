import Core

package enum ResourcesError: Explained, Equatable {
  case loadRefused(pack: String, reason: String)
  case scriptMalformed(line: Int, reason: String)
  case scriptEmpty

  package var code: String {
    switch self {
    case .loadRefused: "load_refused"
    case .scriptMalformed, .scriptEmpty: "script_malformed"
    }
  }
  package var message: String {
    switch self {
    case .loadRefused(let pack, let reason): "\(pack) was not loaded: \(reason)."
    case .scriptMalformed(let line, let reason): "Line \(line) of the script cannot be used: \(reason)."
    case .scriptEmpty: "The script holds no reading."
    }
  }
  package var remedy: String? {
    switch self {
    case .loadRefused: "Close other programs or choose a smaller pack, and try again."
    case .scriptMalformed, .scriptEmpty:
      "Each line is one JSON object with t_ms and any of thermal, memory_available, battery, on_ac, low_power, background."
    }
  }
}
