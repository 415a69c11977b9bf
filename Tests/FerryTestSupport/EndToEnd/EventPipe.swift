package import FerrySystem
import FoundationEssentials
import Glibc
import Synchronization

/// A named pipe that all processes of an app write their lines to, those that ferryd starts too.
package final class EventPipe: Sendable {
    private struct State {
        var lines: [String] = []
        var partial: [UInt8] = []
        var taken = 0
        var waiting: CheckedContinuation<Void, Never>?

        /// Takes what is in the pipe; false when there is nothing.
        mutating func read(from descriptor: Int32) -> Bool {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return false }
            partial += buffer[..<count]
            while let end = partial.firstIndex(of: 10) {
                lines.append(String(decoding: partial[..<end], as: UTF8.self))
                partial.removeFirst(end + 1)
            }
            return true
        }
    }

    /// The pipe's path, for the app.
    package let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Makes a pipe in a test's home.
    package init(in home: TestHome, named name: String = "events") async throws {
        path = "\(home.path)/\(name)"
        let path = path
        try systemCall("mkfifo", path) { mkfifo(path, 0o600) }
        // Open for writing too, so that it does not end between two processes.
        descriptor = try systemCall("open", path) { open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
        try await watch()
    }

    /// Every line so far.
    package var lines: [String] {
        // Those too that the loop has not come to yet.
        receive()
        return state.withLock { $0.lines }
    }

    /// Adds a line of the test's own.
    package func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// The pipe's end for a program that has it as its output.
    package func writer() throws -> FileDescriptor {
        let path = path
        return FileDescriptor(
            owning: try systemCall("open", path) { open(path, O_WRONLY | O_CLOEXEC) }
        )
    }

    /// Waits for the next line for which `matches` is true, and returns it; those before are
    /// passed over.
    ///
    /// Returns a line that no process writes when the test is cancelled.
    package func next(where matches: (String) -> Bool = { _ in true }) async -> String {
        while !Task.isCancelled {
            if let line = takeLine() {
                if matches(line) { return line }
            } else {
                await waitForMore()
            }
        }
        return "the test is over"
    }

    /// Waits for the next line that begins with `prefix`.
    package func next(_ prefix: String) async -> String { await next { $0.hasPrefix(prefix) } }

    private func takeLine() -> String? {
        state.withLock { state in
            guard state.taken < state.lines.count else { return nil }
            defer { state.taken += 1 }
            return state.lines[state.taken]
        }
    }

    private func waitForMore() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.taken < state.lines.count || Task.isCancelled { return true }
                    state.waiting = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            takeWaiting()?.resume()
        }
    }

    private func takeWaiting() -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
    }

    @LoopActor
    private func watch() throws {
        // The watch lives as long as the test's process; the pipe is small.
        _ = try EventLoop.shared.watch(descriptor, for: .readable) { _ in self.receive() }
    }

    private func receive() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            // Read under the lock, so that lines keep their order: any thread may do it.
            guard state.read(from: descriptor) else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}

/// A value that is set once and waited for.
package final class AsyncValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates a value that is not set.
    package init() {}

    /// Sets the value; later calls do nothing.
    package func set(_ value: Value) {
        let waiting = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value, Never>]() }
            state.value = value
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// The value, when it is set.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
