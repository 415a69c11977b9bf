package import FerrySystem

/// A state machine whose decisions are tested.
package protocol DecidingMachine {
    /// What its owner must do.
    associatedtype Effect

    /// What its owner must do, as far as it is not done.
    var effects: EffectQueue<Effect> { get set }
}

extension DecidingMachine {
    /// Takes an input, and returns what its owner must do then.
    package mutating func after<Failure: Error>(
        _ input: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> [Effect] {
        try input(&self)
        var taken: [Effect] = []
        guard effects.begin() else { return [] }
        while let effect = effects.next() { taken.append(effect) }
        return taken
    }
}
