import Core

/// What `libera time --json` prints for each input; docs/time.md explains the fields.
extension TimeReading: Encodable {
  private enum Key: String, CodingKey {
    case text, start, end, kind, value, utcOffset = "utc_offset", grain, rrule, open, bound, until, confidence
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(text, forKey: .text)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
    try container.encode(kind, forKey: .kind)
    try container.encode(value, forKey: .value)
    try container.encode(utcOffset.map { Civil.offset($0, separator: ":") }, forKey: .utcOffset)
    try container.encode(grain, forKey: .grain)
    try container.encode(rrule, forKey: .rrule)
    try container.encode(open != nil, forKey: .open)
    try container.encodeIfPresent(open, forKey: .bound)
    try container.encodeIfPresent(until.map(Civil.iso), forKey: .until)
    try container.encode((confidence * 1000).rounded() / 1000, forKey: .confidence)
  }
}
