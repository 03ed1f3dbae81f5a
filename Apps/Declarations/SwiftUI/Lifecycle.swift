/// What a view does when it appears, changes and goes.
struct Living<Content: View>: Drawn {
  let content: Content
  let what: Stage.Appearing

  func nodes(_ context: Context) -> [Node] {
    let inner = context.under("life")
    context.stage.appears(inner.path, what)
    return evaluate(content, inner)
  }
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/task(priority:_:)
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View {
    living(0, action)
  }

  /// https://developer.apple.com/documentation/swiftui/view/task(id:priority:_:)
  public func task<T: Equatable & Hashable>(
    id value: T, priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View {
    living(value, action)
  }

  private func living(_ id: some Hashable, _ action: @escaping @isolated(any) () async -> Void) -> some View {
    let begun = Begun(action: action)
    return Living(content: self, what: Stage.Appearing(id: AnyHashable(id)) { Task { await begun.action() } })
  }

  /// https://developer.apple.com/documentation/swiftui/view/onappear(perform:)
  public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    Living(
      content: self,
      what: Stage.Appearing(id: AnyHashable(0)) {
        action?()
        return nil
      })
  }

  /// https://developer.apple.com/documentation/swiftui/view/ondisappear(perform:)
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    Living(content: self, what: Stage.Appearing(id: AnyHashable(0), begin: { nil }, end: { action?() }))
  }

  /// https://developer.apple.com/documentation/swiftui/view/onchange(of:initial:_:)
  public func onChange<V: Equatable & Hashable>(
    of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
  ) -> some View {
    let what = Stage.Appearing(
      id: AnyHashable(value),
      begin: {
        if initial { action(value, value) }
        return nil
      },
      change: { old in if let old = old.base as? V { action(old, value) } })
    return Living(content: self, what: what)
  }
}

/// An action on its way into its task, which alone runs it.
private struct Begun: @unchecked Sendable {
  let action: @isolated(any) () async -> Void
}
