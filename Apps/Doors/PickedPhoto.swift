public import Foundation
public import LiberaScreens
public import PhotosUI
public import SwiftUI

/// A picture that was chosen in the system's photo picker. The picker shows the library itself: the app needs no leave for it and
/// sees only what was chosen.
public struct PickedPhoto: ChosenPicture {
  private let item: PhotosPickerItem
  public init(_ item: PhotosPickerItem) { self.item = item }

  public func file() async throws -> Data {
    guard let data = try await item.loadTransferable(type: Data.self) else { throw CocoaError(.fileReadUnknown) }
    return data
  }
}

extension View {
  /// The system's photo picker. Pictures are asked for in a form that everybody reads, not in the camera's own.
  public func photoPicker(
    isPresented: Binding<Bool>, selection: Binding<[PhotosPickerItem]>, atMost count: Int
  ) -> some View {
    photosPicker(
      isPresented: isPresented, selection: selection, maxSelectionCount: count, matching: .images,
      preferredItemEncoding: .compatible)
  }
}
