import FerryHTTP
import FerrySystem
import Glibc
import Testing

/// A handler that records all calls and answers as a test says.
@LoopActor final class ExchangeProbe: HTTPExchangeHandler {
    /// A call, without what it carried.
    enum Call: Hashable {
        case head
        case bytes
        case pipe
        case finish
    }

    /// Answers for a head, in place of ``HTTPBodyDisposition/deliver``.
    var onHead: (HTTPExchange, HTTPResponseHead) -> HTTPBodyDisposition = { _, _ in .deliver }
    /// Answers for bytes, in place of ``HTTPBodyDisposition/deliver``.
    var onBytes: (HTTPExchange) -> HTTPBodyDisposition = { _ in .deliver }
    /// Answers for a pipe, in place of ``take(_:)``.
    lazy var onPipe: (HTTPExchange, SplicePipe) -> HTTPBodyDisposition = { [unowned self] in
        take($1)
    }
    /// Called at the end, before anybody who waits for it.
    var onFinish: (HTTPExchange) -> Void = { _ in }

    /// Answers for a server's certificates.
    var onTrust: (HTTPServerTrust) -> HTTPTrustDecision = { _ in .followVerdict }
    /// Answers for a server's request for a certificate.
    var onCertificateRequest: (CertificateRequest) -> HTTPIdentityDecision = { _ in .goOnWithout }
    /// The requests that were decided on.
    private(set) var certificateRequests: [CertificateRequest] = []
    /// The servers that were decided on.
    private(set) var trusts: [HTTPServerTrust] = []
    /// How much of the request's body was sent, each time that it was told.
    private(set) var sentByteCounts: [Int64] = []
    /// The interim responses.
    private(set) var informationalHeads: [HTTPResponseHead] = []
    /// The calls, with those for bytes that follow each other as one.
    private(set) var calls: [Call] = []
    private(set) var heads: [HTTPResponseHead] = []
    private(set) var bytes: [UInt8] = []
    private(set) var error: HTTPError?
    private var waiters: [Int: Waiter] = [:]
    private var nextWaiter = 0

    private struct Waiter {
        let condition: () -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The bytes as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The only head.
    var head: HTTPResponseHead {
        get throws { try #require(heads.count == 1 ? heads.first : nil) }
    }

    func exchange(
        _ exchange: HTTPExchange,
        decideOn trust: HTTPServerTrust
    ) -> HTTPTrustDecision {
        trusts.append(trust)
        return onTrust(trust)
    }

    func exchange(
        _ exchange: HTTPExchange,
        decideOn certificateRequest: CertificateRequest
    ) -> HTTPIdentityDecision {
        certificateRequests.append(certificateRequest)
        return onCertificateRequest(certificateRequest)
    }

    func exchange(_ exchange: HTTPExchange, didSendBodyBytes byteCount: Int64) {
        sentByteCounts.append(byteCount)
        resumeWaiters()
    }

    func exchange(
        _ exchange: HTTPExchange,
        didReceiveInformational head: HTTPResponseHead
    ) {
        informationalHeads.append(head)
    }

    func exchange(
        _ exchange: HTTPExchange,
        didReceive head: HTTPResponseHead
    ) -> HTTPBodyDisposition {
        calls.append(.head)
        heads.append(head)
        defer { resumeWaiters() }
        return onHead(exchange, head)
    }

    func exchange(
        _ exchange: HTTPExchange,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition {
        if calls.last != .bytes { calls.append(.bytes) }
        self.bytes += bytes
        defer { resumeWaiters() }
        return onBytes(exchange)
    }

    func exchange(
        _ exchange: HTTPExchange,
        didReceive pipe: SplicePipe
    ) -> HTTPBodyDisposition {
        if calls.last != .pipe { calls.append(.pipe) }
        defer { resumeWaiters() }
        return onPipe(exchange, pipe)
    }

    /// Takes what is in a pipe to the bytes received.
    func take(_ pipe: SplicePipe) -> HTTPBodyDisposition {
        do {
            let file = try Self.makeFile()
            var count: Int64 = 0
            while pipe.count > 0 { count += Int64(try pipe.empty(into: file, at: count)) }
            lseek(file.rawValue, 0, SEEK_SET)
            bytes += try file.readToEnd(limit: 1 << 30)
            return .deliverInPipes
        } catch {
            return .cancel
        }
    }

    /// A file without a name.
    static func makeFile() throws -> FileDescriptor {
        var path = Array("/tmp/ferry-probe-XXXXXX".utf8CString)
        let file = FileDescriptor(owning: try systemCall("mkstemp") { mkstemp(&path) })
        unlink(path)
        return file
    }

    func exchange(_ exchange: HTTPExchange, didFinishWith error: HTTPError?) {
        calls.append(.finish)
        self.error = error
        onFinish(exchange)
        resumeWaiters()
    }

    /// Returns when the last call has come.
    func finished() async throws {
        try await waitUntil { self.calls.contains(.finish) }
    }

    /// Returns when a condition holds, which is tried after each call.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, as it is by a test's time limit.
    func waitUntil(_ condition: @escaping () -> Bool) async throws {
        nextWaiter += 1
        let number = nextWaiter
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            if condition() { return }
            try await withCheckedThrowingContinuation {
                waiters[number] = Waiter(condition: condition, continuation: $0)
            }
        } onCancel: {
            LoopActor.perform { [self] in
                let waiter = waiters.removeValue(forKey: number)
                waiter?.continuation.resume(throwing: CancellationError())
            }
        }
    }

    private func resumeWaiters() {
        for (number, waiter) in waiters where waiter.condition() {
            waiters[number] = nil
            waiter.continuation.resume()
        }
    }
}

extension HTTPClient {
    /// A client for servers on loopback, whatever proxy the environment names.
    static func local(
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> HTTPClient {
        var configuration = Configuration()
        configuration.proxies = .direct
        change(&configuration)
        return try HTTPClient(configuration: configuration)
    }

    /// Sends a request and waits for its end.
    func fetch(
        _ request: HTTPRequest,
        body: (any HTTPBodySource)? = nil
    ) async throws -> ExchangeProbe {
        let probe = ExchangeProbe()
        start(request, body: body, handler: probe)
        try await probe.finished()
        return probe
    }
}
