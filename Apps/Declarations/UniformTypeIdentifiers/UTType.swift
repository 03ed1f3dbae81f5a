/// https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct
public struct UTType: Hashable, Sendable {
  public var identifier: String
  public init?(filenameExtension: String) { identifier = "dyn.\(filenameExtension)" }
  private init(_ identifier: String) { self.identifier = identifier }
  public static let item = UTType("public.item")
  public static let folder = UTType("public.folder")
  public static let data = UTType("public.data")
}
