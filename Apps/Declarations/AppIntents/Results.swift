/// https://developer.apple.com/documentation/appintents/intentresult
public protocol IntentResult: Sendable {}

/// https://developer.apple.com/documentation/appintents/returnsvalue
public protocol ReturnsValue<Value>: IntentResult {
  associatedtype Value: _IntentValue
  var value: Value? { get }
}

/// https://developer.apple.com/documentation/appintents/providesdialog
public protocol ProvidesDialog: IntentResult {
  var dialog: IntentDialog { get }
}

/// Apple's has a place for an intent that opens and for a view as well.
/// https://developer.apple.com/documentation/appintents/intentresultcontainer
public struct IntentResultContainer<Value: Sendable, Dialog: Sendable>: IntentResult {
  public let value: Value?
  let said: Dialog?
}

extension IntentResultContainer: ReturnsValue where Value: _IntentValue {}

extension IntentResultContainer: ProvidesDialog where Dialog == IntentDialog {
  public var dialog: IntentDialog { said ?? "" }
}

extension IntentResult {
  /// https://developer.apple.com/documentation/appintents/intentresult/result()
  public static func result() -> Self where Self == IntentResultContainer<Never, Never> {
    IntentResultContainer(value: nil, said: nil)
  }
  public static func result(dialog: IntentDialog) -> Self where Self == IntentResultContainer<Never, IntentDialog> {
    IntentResultContainer(value: nil, said: dialog)
  }
  public static func result<Value: _IntentValue & Sendable>(
    value: Value, dialog: IntentDialog
  ) -> Self where Self == IntentResultContainer<Value, IntentDialog> {
    IntentResultContainer(value: value, said: dialog)
  }
}
