public import Foundation
public import SwiftUI

/// https://developer.apple.com/documentation/photosui/phpickerfilter-swift.struct
public struct PHPickerFilter: Equatable, Hashable, Sendable {
  let name: String
  public static let images = PHPickerFilter(name: "images")
}

/// https://developer.apple.com/documentation/coretransferable/transferable, which SwiftUI and PhotosUI hand on
public protocol Transferable {}
extension Data: Transferable {}

/// Here a file stands for what the person has in their photo library.
/// https://developer.apple.com/documentation/photosui/photospickeritem
public struct PhotosPickerItem: Equatable, Hashable, Sendable {
  public struct EncodingDisambiguationPolicy: Equatable, Hashable, Sendable {
    let name: String
    public static let automatic = EncodingDisambiguationPolicy(name: "automatic")
    public static let current = EncodingDisambiguationPolicy(name: "current")
    public static let compatible = EncodingDisambiguationPolicy(name: "compatible")
  }
  let file: URL

  public var itemIdentifier: String? { nil }

  /// nil where the item has nothing of that type.
  public func loadTransferable<T: Transferable & Sendable>(type: T.Type) async throws -> T? {
    try Data(contentsOf: file) as? T
  }
}

/// https://developer.apple.com/documentation/photosui/photospickerselectionbehavior
public struct PhotosPickerSelectionBehavior: Equatable, Hashable, Sendable {
  let name: String
  public static let `default` = PhotosPickerSelectionBehavior(name: "default")
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/photospicker(ispresented:selection:maxselectioncount:selectionbehavior:matching:preferreditemencoding:)
  public func photosPicker(
    isPresented: Binding<Bool>, selection: Binding<[PhotosPickerItem]>, maxSelectionCount: Int? = nil,
    selectionBehavior: PhotosPickerSelectionBehavior = .default, matching filter: PHPickerFilter? = nil,
    preferredItemEncoding: PhotosPickerItem.EncodingDisambiguationPolicy = .automatic
  ) -> some View {
    presenting(isPresented) { dismiss in
      var node = Node(.importer, "\(filter?.name ?? "all") \(preferredItemEncoding.name)")
      node.give = { files in
        dismiss()
        selection.wrappedValue = files.prefix(maxSelectionCount ?? files.count).map(PhotosPickerItem.init)
      }
      node.acts["dismiss"] = dismiss
      return node
    }
  }
}
