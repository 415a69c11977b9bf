#if DEBUG
import FerrySystem
import Synchronization

/// The order in which system calls were made, of those that matter to a test.
package final class SystemCallRecord: Sendable {
    private let names: Set<String>
    private let place: String

    /// Prepares a record.
    ///
    /// - Parameters:
    ///   - names: The calls.
    ///   - place: What they are about begins with this, which is left out.
    package init(of names: Set<String>, in place: String) {
        self.names = names
        self.place = place
    }

    /// The calls that are made, by whichever thread, while a body runs.
    @LoopActor
    package func during(_ body: @LoopActor () async -> Void) async -> [String] {
        let calls = Mutex<[String]>([])
        let box = Box(calls)
        let (names, place) = (names, place)
        systemCallObservers.withLock { observers in
            observers[ObjectIdentifier(box)] = { name, subject in
                guard names.contains(name), subject.hasPrefix(place) else { return }
                box.calls.withLock { $0.append("\(name) \(subject.dropFirst(place.count))") }
            }
        }
        await body()
        _ = systemCallObservers.withLock { $0.removeValue(forKey: ObjectIdentifier(box)) }
        return box.calls.withLock { $0 }
    }

    private final class Box: Sendable {
        let calls: Mutex<[String]>

        init(_ calls: consuming Mutex<[String]>) { self.calls = calls }
    }
}
#endif
