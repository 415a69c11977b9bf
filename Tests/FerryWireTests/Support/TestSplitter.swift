import Foundation
import Synchronization

@testable import FerryWire

/// A message splitter that can be shared.
final class TestSplitter: Sendable {
    private let splitter = Mutex(MessageSplitter(limit: 64 << 20))

    func append(_ bytes: ArraySlice<UInt8>) {
        splitter.withLock { splitter in bytes.withUnsafeBytes { splitter.append($0) } }
    }

    func next() throws -> Data? { try splitter.withLock { try $0.next() } }
}
