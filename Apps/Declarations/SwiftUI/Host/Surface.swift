/// A view of another framework: that framework says what a person meets in it.
package struct Surface: View, Drawn {
  package typealias Body = Never
  private let node: @MainActor () -> Node
  package init(_ node: @escaping @MainActor () -> Node) { self.node = node }
  func nodes(_ context: Context) -> [Node] { [node()] }
}

extension View {
  /// What another framework shows above a view while a binding is true. It is given what takes it away.
  package func presenting(
    _ isPresented: Binding<Bool>, _ node: @escaping @MainActor (_ dismiss: @escaping @MainActor () -> Void) -> Node
  ) -> some View {
    Presenting(content: self, isPresented: isPresented) { _, dismiss in node(dismiss) }
  }
}
