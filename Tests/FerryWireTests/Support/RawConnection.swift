import FerrySystem
import Foundation
import Glibc
import Synchronization

@testable import FerryWire

/// One end of a connection as bytes, to behave as no real client or daemon would.
///
/// Its calls wait, for at most ``patience``, so that a test that fails does not hang.
final class RawConnection: Sendable {
    enum Problem: Error {
        case nothingCame
    }

    static let patience: Int32 = 20_000

    private let socket: FileDescriptor
    private let splitter = TestSplitter()

    init(_ socket: consuming FileDescriptor) {
        self.socket = consume socket
    }

    var descriptor: Int32 { socket.rawValue }

    // MARK: - Sending

    func send(_ text: String) throws { try send(bytes: Array(text.utf8) + [0]) }

    /// Sends all bytes, waiting for room.
    func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = try sendSome(rest) else {
                guard wait(for: POLLOUT) else { throw Problem.nothingCame }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends what there is room for; `nil` for nothing.
    func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        try bytes.withUnsafeBytes { try SocketMessage.send($0, over: descriptor) }
    }

    func call(
        _ method: String,
        _ parameters: String = "{}",
        flags: String = ""
    ) throws {
        try send(
            #"{"method":"io.ferry.Transfer.\#(method)","parameters":\#(parameters)\#(flags)}"#
        )
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    // MARK: - Receiving

    /// The next message; `nil` when the peer has closed.
    func receive() throws -> JSONValue? {
        while true {
            if let message = try splitter.next() {
                return try JSONValue(parsing: message)
            }
            guard wait(for: POLLIN) else { throw Problem.nothingCame }
            if try !receiveSome() { return nil }
        }
    }

    /// Whether the peer closes, after whatever else it sends.
    func isClosedByPeer() throws -> Bool {
        while try receive() != nil {}
        return true
    }

    /// Whether there is something to read now.
    var hasInput: Bool { wait(for: POLLIN, milliseconds: 0) }

    /// Whether something can be sent now.
    var hasRoom: Bool { wait(for: POLLOUT, milliseconds: 0) }

    /// Reads once; returns whether anything may follow.
    private func receiveSome() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        do {
            let received = try buffer.withUnsafeMutableBytes {
                try SocketMessage.receive(into: $0, from: descriptor)
            }
            guard let received else { return true }
            splitter.append(buffer[..<received.byteCount])
            return received.byteCount > 0
        } catch let error as SystemCallError where error.errno == ECONNRESET {
            return false
        }
    }

    private func wait(for events: Int32, milliseconds: Int32 = patience) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, milliseconds) == 1
    }
}

/// A descriptor that can be put into a collection.
final class FileDescriptorBox: Sendable {
    private let owned: FileDescriptor
    var descriptor: Int32 { owned.rawValue }

    init(owning descriptor: Int32) { owned = FileDescriptor(owning: descriptor) }
}

/// A message splitter that can be shared.
final class TestSplitter: Sendable {
    private let splitter = Mutex(MessageSplitter(limit: 64 << 20))

    func append(_ bytes: ArraySlice<UInt8>) {
        splitter.withLock { splitter in bytes.withUnsafeBytes { splitter.append($0) } }
    }

    func next() throws -> Data? { try splitter.withLock { try $0.next() } }
}
