import Dispatch
import FerrySystem
import Synchronization

@testable import FerryTransfer

extension PartialFile {
    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws(TransferError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(TransferError) in try write(raw) }
        }
        try result.get()
    }

    /// Whether the file holds these bytes.
    func holds(_ bytes: [UInt8], at offset: Int64) throws(TransferError) -> Bool {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(TransferError) in try holds(raw, at: offset) }
        }
        return try result.get()
    }

    /// Has begun to force the bytes onto the disk when it returns; the stream brings the result.
    func beginSynchronizing(by synchronizer: FileSynchronizer) -> AsyncStream<TransferError?> {
        let (stream, continuation) = AsyncStream.makeStream(of: TransferError?.self)
        synchronize(by: synchronizer) { result in
            switch result {
            case .success: continuation.yield(nil)
            case .failure(let error): continuation.yield(error)
            }
            continuation.finish()
        }
        return stream
    }

    /// Compares the bytes with digests and waits for it.
    func mismatch(with checks: [DigestCheck]) async throws -> String? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Result<String?, TransferError>.self
        )
        _ = verify(checks) { continuation.yield($0) }
        for await result in stream { return try result.get() }
        return nil
    }

    /// Forces the bytes onto the disk and waits for it.
    func synchronize(by synchronizer: FileSynchronizer) async -> TransferError? {
        await beginSynchronizing(by: synchronizer).result
    }
}

extension AsyncStream<TransferError?> {
    /// The only element.
    var result: TransferError? {
        get async {
            for await element in self { return element }
            return nil
        }
    }
}

extension ResourceVersion {
    /// A version with a strong validator.
    static func tagged(_ tag: String, total: Int64? = 100) -> ResourceVersion {
        ResourceVersion(
            validator: .strongETag("\"\(tag)\""),
            totalByteCount: total,
            url: "http://host/file"
        )
    }

    /// A version whose record is too long for an extended attribute.
    static func bulky(_ tag: String) -> ResourceVersion {
        ResourceVersion(
            validator: .strongETag("\"\(tag)\""),
            totalByteCount: 100,
            url: "http://host/" + String(repeating: "x", count: 70_000)
        )
    }
}

/// A disk that can be told to fail.
final class FailureSwitch: Sendable {
    private let storage = Mutex(false)

    var isFailing: Bool {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    func check() throws(TransferError) {
        if isFailing { throw TransferError(code: .cannotWriteToFile, message: "test") }
    }
}

/// Holds up blocking work until a test opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }
    func open() { semaphore.signal() }
}
