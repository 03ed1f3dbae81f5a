import CSQLite
package import Foundation

/// The row a statement stands on; valid only inside the closure that received it.
package struct Row {
  let statement: OpaquePointer

  package func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
  package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  package func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
  package func date(_ column: Int32) -> Date { Date(timeIntervalSince1970: double(column)) }
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  /// SQLITE_INTEGER, SQLITE_TEXT, ...
  func type(_ column: Int32) -> Int32 { sqlite3_column_type(statement, column) }

  package func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func data(_ column: Int32) -> Data { withBytes(column) { Data($0) } }

  package func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
  {
    let bytes = sqlite3_column_blob(statement, column)
    return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  package func optional<Value>(_ column: Int32, _ read: (Int32) -> Value) -> Value? {
    isNull(column) ? nil : read(column)
  }
}
