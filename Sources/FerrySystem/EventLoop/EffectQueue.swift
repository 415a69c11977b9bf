/// What the decisions of one owner lead to, in order, until the owner has performed it.
///
/// A decision adds its effects; the owner takes them one after another and performs each. An input that arrives while an
/// effect is performed is decided at once, and its effects come behind those that are left. A decision that makes what is
/// left obsolete, such as a cancellation, removes it first.
///
/// It is public since the compiler inlines into other modules only what is: unspecialized, it would cost more than the
/// arrays that it replaces.
@frozen
public struct EffectQueue<Effect> {
    @usableFromInline var effects: [Effect] = []
    @usableFromInline var nextIndex = 0
    @usableFromInline var isPerforming = false

    /// Makes an empty queue.
    @inlinable
    public init() {}

    /// Adds an effect behind the others.
    @inlinable
    public mutating func add(_ effect: Effect) { effects.append(effect) }

    /// Removes the effects that are left, because of an input that makes them obsolete.
    @inlinable
    public mutating func removeAll() {
        effects.removeAll(keepingCapacity: true)
        nextIndex = 0
    }

    /// Begins to perform the effects.
    ///
    /// - Returns: Whether there are any, and no outer call performs them already.
    @inlinable
    public mutating func begin() -> Bool {
        guard !isPerforming, nextIndex < effects.count else { return false }
        isPerforming = true
        return true
    }

    /// Takes the next effect; `nil` ends what ``begin()`` has begun.
    @inlinable
    public mutating func next() -> Effect? {
        guard nextIndex < effects.count else {
            removeAll()
            isPerforming = false
            return nil
        }
        defer { nextIndex += 1 }
        return effects[nextIndex]
    }
}

extension EffectQueue: Sendable where Effect: Sendable {}
