package import Foundation

/// A value SQLite can hold.
package enum Value: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// A Swift value that can be bound to a statement.
package protocol Bindable {
  var value: Value { get }
}

extension Value: Bindable { package var value: Value { self } }
extension Int: Bindable { package var value: Value { .integer(Int64(self)) } }
extension Int64: Bindable { package var value: Value { .integer(self) } }
extension Bool: Bindable { package var value: Value { .integer(self ? 1 : 0) } }
extension Double: Bindable { package var value: Value { .real(self) } }
extension String: Bindable { package var value: Value { .text(self) } }
extension Data: Bindable { package var value: Value { .blob(self) } }
extension Date: Bindable { package var value: Value { .real(timeIntervalSince1970) } }
extension Optional: Bindable where Wrapped: Bindable {
  package var value: Value { self.map(\.value) ?? .null }
}
