import Glibc

@testable import FerrySystem

/// The other end of a monitor's socket, which says what the test wants it to.
final class PlayedKernel: Sendable {
    /// The number by which this kernel knows the monitor's socket.
    static let port: UInt32 = 77

    private let monitorsEnd: Int32
    private let end: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try systemCall("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        (monitorsEnd, end) = (ends[0], ends[1])
        _ = fcntl(monitorsEnd, F_SETFL, O_NONBLOCK)
        // A request that does not come must fail its test instead of stopping it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(end) }

    /// The monitor's socket, which closes its end; only once.
    @LoopActor
    func socket() -> RouteSocket {
        RouteSocket(owning: FileDescriptor(owning: monitorsEnd), port: Self.port)
    }

    /// Waits for the next request, and returns its type and sequence number; nil for none.
    @concurrent
    func request() async -> Request? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(end, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Request(Array(bytes[..<count]))
    }

    /// Sends a datagram, and returns whether anybody can receive it.
    @discardableResult
    func send(_ datagram: [UInt8]) -> Bool {
        Glibc.send(end, datagram, datagram.count, 0) == datagram.count
    }

    /// Answers a request by messages' types and bodies, and by the end of the list.
    func answer(_ request: Request?, _ messages: [(type: UInt16, body: [UInt8])]) {
        let sequence = request?.sequence ?? 0
        let all = messages + [(3, NetworkMessageBytes.number(Int32(0)))]
        send(
            all.flatMap {
                NetworkMessageBytes.message(
                    $0.type,
                    $0.body,
                    flags: 2,
                    sequence: sequence,
                    port: Self.port
                )
            }
        )
    }
}

extension PlayedKernel {
    /// What the monitor has asked for.
    struct Request: Hashable {
        let type: UInt16
        let flags: UInt16
        let sequence: UInt32
        let isWhole: Bool

        init(_ bytes: [UInt8]) {
            let reader = NativeBytes(bytes)
            type = (try? reader.integer(at: 4)) ?? 0
            flags = (try? reader.integer(at: 6)) ?? 0
            sequence = (try? reader.integer(at: 8)) ?? 0
            isWhole = (try? reader.integer(at: 0, as: UInt32.self)) == UInt32(bytes.count)
        }
    }
}

extension LoopActor {
    /// Runs `body` on the loop.
    @LoopActor
    static func run<T: Sendable>(
        _ body: @LoopActor () throws -> T
    ) async rethrows -> T {
        try body()
    }
}
