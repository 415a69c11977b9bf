import FerrySystem
import Testing

@testable import Ferry

/// The machine's conditions, as a test tells them.
@LoopActor
final class ScriptedConditions: ConditionsProvider {
    private var present: Conditions?
    private var observers: [Observation] = []
    private let observerCount = Awaited(0)

    nonisolated init(_ conditions: Conditions?) {
        present = conditions
    }

    /// As with the process's monitor, nothing is known without observers.
    var conditions: Conditions? { observers.isEmpty ? nil : present }

    /// Tells the observers of other conditions.
    nonisolated func change(to conditions: Conditions) async {
        await LoopActor.run {
            present = conditions
            for observer in observers where observers.contains(where: { $0 === observer }) {
                observer.handler()
            }
        }
    }

    /// Returns when as many observe.
    nonisolated func waitForObservers(_ count: Int) async {
        await observerCount.wait(until: { $0 == count })
    }

    func watch(
        _ kinds: Conditions,
        _ handler: @escaping @LoopActor () -> Void
    ) -> any ObservedConditions {
        let observation = Observation(kinds, of: self, handler)
        observers.append(observation)
        recordCount()
        return observation
    }

    private func remove(_ observation: Observation) {
        observers.removeAll { $0 === observation }
        recordCount()
    }

    private func recordCount() {
        let count = observers.count
        observerCount.change { $0 = count }
    }

    private final class Observation: ObservedConditions {
        let handler: @LoopActor () -> Void
        private let kinds: Conditions
        private let source: ScriptedConditions

        init(
            _ kinds: Conditions,
            of source: ScriptedConditions,
            _ handler: @escaping @LoopActor () -> Void
        ) {
            self.kinds = kinds
            self.source = source
            self.handler = handler
        }

        var conditions: Conditions? { source.present?.intersection(kinds) }

        func cancel() { source.remove(self) }
    }
}
