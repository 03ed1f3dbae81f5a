public import Foundation
public import UniformTypeIdentifiers

/// https://developer.apple.com/documentation/foundation/localizedstringresource, which is Foundation's on Apple systems
public struct LocalizedStringResource: Equatable, Sendable, ExpressibleByStringInterpolation {
  public let key: String
  public init(stringLiteral value: String) { key = value }
}

/// https://developer.apple.com/documentation/appintents/intentdescription
public struct IntentDescription: Sendable {
  package let text: LocalizedStringResource
  public init(_ descriptionText: LocalizedStringResource) { text = descriptionText }
}

/// https://developer.apple.com/documentation/appintents/intentdialog
public struct IntentDialog: Sendable, Equatable, ExpressibleByStringInterpolation {
  package let text: String
  public init(stringLiteral value: String) { text = value }
}

/// https://developer.apple.com/documentation/appintents/intentauthenticationpolicy
public enum IntentAuthenticationPolicy: Sendable {
  case alwaysAllowed, requiresAuthentication, requiresLocalDeviceAuthentication
}

/// https://developer.apple.com/documentation/appintents/customlocalizedstringresourceconvertible
public protocol CustomLocalizedStringResourceConvertible {
  var localizedStringResource: LocalizedStringResource { get }
}

/// What a parameter or a result can hold. https://developer.apple.com/documentation/appintents/parameter-types
public protocol _IntentValue {}
extension String: _IntentValue {}
extension Int: _IntentValue {}
extension Date: _IntentValue {}
extension Optional: _IntentValue where Wrapped: _IntentValue {}

/// https://developer.apple.com/documentation/appintents/intentfile
public struct IntentFile: _IntentValue, Sendable {
  public var filename: String
  public var fileURL: URL?
  public var data: Data
  public init(data: Data, filename: String, type: UTType? = nil) {
    (self.data, self.filename, fileURL) = (data, filename, nil)
  }
  /// Here a file's bytes are not read before they are asked for either.
  public init(fileURL: URL, filename: String? = nil, type: UTType? = nil) {
    (self.fileURL, self.filename, data) = (fileURL, filename ?? fileURL.lastPathComponent, Data())
  }
}

/// https://developer.apple.com/documentation/appintents/intentparameter
@propertyWrapper public final class IntentParameter<Value: _IntentValue & Sendable>: @unchecked Sendable {
  package let title: LocalizedStringResource
  package let asks: IntentDialog?
  private var value: Value?

  public init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil, requestValueDialog: IntentDialog? = nil
  ) { (self.title, asks) = (title, requestValueDialog) }

  /// Set by the system, which asks the person for what is missing, before an intent is performed.
  public var wrappedValue: Value {
    get {
      guard let value = value ?? Optional<Any>.none as? Value else { preconditionFailure("\(title.key) is not set.") }
      return value
    }
    set { value = newValue }
  }
  public var projectedValue: IntentParameter<Value> { self }
}

/// https://developer.apple.com/documentation/appintents/appdependencymanager
public final class AppDependencyManager: @unchecked Sendable {
  public static let shared = AppDependencyManager()
  private let lock = NSLock()
  private var kept: [ObjectIdentifier: any Sendable] = [:]
  public init() {}

  public func add<Dependency: Sendable>(
    key: AnyHashable? = nil, dependency dependencyProvider: @autoclosure @escaping () -> Dependency
  ) { lock.withLock { kept[ObjectIdentifier(Dependency.self)] = dependencyProvider() } }

  fileprivate func get<Dependency>(_ type: Dependency.Type) -> Dependency {
    lock.withLock {
      guard let value = kept[ObjectIdentifier(type)] as? Dependency else {
        preconditionFailure("No \(type) was added.")
      }
      return value
    }
  }
}

/// https://developer.apple.com/documentation/appintents/appdependency
@propertyWrapper public final class AppDependency<Value: Sendable>: Sendable {
  private let manager: AppDependencyManager
  public init(key: AnyHashable? = nil, manager: AppDependencyManager = .shared) { self.manager = manager }
  public var wrappedValue: Value { manager.get(Value.self) }
}

/// https://developer.apple.com/documentation/appintents/appintent
public protocol AppIntent: Sendable {
  typealias Parameter = IntentParameter
  typealias Dependency = AppDependency
  associatedtype PerformResult: IntentResult
  static var title: LocalizedStringResource { get }
  static var description: IntentDescription? { get }
  static var openAppWhenRun: Bool { get }
  static var authenticationPolicy: IntentAuthenticationPolicy { get }
  init()
  func perform() async throws -> PerformResult
}

extension AppIntent {
  public static var description: IntentDescription? { nil }
  public static var openAppWhenRun: Bool { false }
  public static var authenticationPolicy: IntentAuthenticationPolicy { .alwaysAllowed }
}

extension Never: _IntentValue {}
