import FerrySystem

/// A continuation that an app may call any number of times; only the first call counts.
@LoopActor
final class Answer<Value> {
    private var continuation: (@LoopActor (Value) -> Void)?

    init(_ continuation: @escaping @LoopActor (Value) -> Void) {
        self.continuation = continuation
    }

    func callAsFunction(_ value: Value) {
        let continuation = continuation
        self.continuation = nil
        continuation?(value)
    }
}
