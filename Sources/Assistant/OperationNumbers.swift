import Core

/// A number in an operation's input, and the range that it has to lie in before anything is computed with it.
package struct NumberField<Input>: Sendable {
  package let name: String
  let range: ClosedRange<Double>
  private let value: @Sendable (Input) -> Double?

  private init(_ name: String, _ range: ClosedRange<Double>, value: @escaping @Sendable (Input) -> Double?) {
    (self.name, self.range, self.value) = (name, range, value)
  }

  static func whole(
    _ name: String, _ range: ClosedRange<Int>, _ value: @escaping @Sendable (Input) -> Int?
  ) -> Self {
    Self(name, Double(range.lowerBound)...Double(range.upperBound)) { value($0).map(Double.init) }
  }

  static func real(
    _ name: String, _ range: ClosedRange<Double>, _ value: @escaping @Sendable (Input) -> Double?
  ) -> Self {
    Self(name, range, value: value)
  }

  /// NaN lies in no range.
  func check(_ input: Input) throws(NumberRefused) {
    guard let number = value(input), !range.contains(number) else { return }
    throw NumberRefused(field: name, number: number, range: range)
  }
}

/// A number outside of its range.
struct NumberRefused: Explained, Equatable {
  let field: String
  let number: Double
  let range: ClosedRange<Double>

  var code: String { "number_refused" }
  var message: String {
    "\(field) is \(Self.text(number)); it can be from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))."
  }
  var remedy: String? { "Name another number." }

  private static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
}
