import CCurl
import FerrySystem
import Glibc

/// The rest of a body, to be read past libcurl.
struct SpliceRest: ~Copyable {
    let socket: FileDescriptor
    let byteCount: Int64
}

extension HTTPClient {
    /// Whether so much of a body is missing that splicing pays.
    func canSplice(_ easy: CurlEasy, after received: Int64) -> Bool {
        guard let missing = missingByteCount(of: easy, after: received) else { return false }
        return missing >= configuration.minimumSplicedBytes && emptyPipe() != nil
    }

    /// The rest of a body, once libcurl has handed over everything that it has read; `nil` when it
    /// holds something back, or its connection is gone.
    func spliceRest(
        of easy: CurlEasy,
        after received: Int64
    ) throws(SystemCallError) -> SpliceRest? {
        guard let missing = missingByteCount(of: easy, after: received), missing > 0,
            easy.downloadedByteCount == received,
            let socket = easy.connection.flatMap({ multi.socket(of: $0) })
        else { return nil }
        // A descriptor of its own: libcurl closes its own when it lets go of the handle.
        let duplicate = try systemCall("fcntl") { fcntl(socket, F_DUPFD_CLOEXEC, 0) }
        return SpliceRest(
            socket: FileDescriptor(owning: duplicate),
            byteCount: missing
        )
    }

    /// How much of a body is missing on a connection that carries nothing but its bytes.
    private func missingByteCount(of easy: CurlEasy, after received: Int64) -> Int64? {
        // A proxy might be spoken to by TLS, which nothing here tells.
        guard !mayUseProxy, easy.isPlain else { return nil }
        return easy.bodyByteCount.map { $0 - received }
    }

    /// The one pipe of this client, for bytes that are taken out of it before anybody else asks.
    ///
    /// One in which a handler has left bytes is given up with them: they are nobody else's.
    func emptyPipe() -> SplicePipe? {
        if let splicePipe, splicePipe.count > 0 { self.splicePipe = nil }
        if splicePipe == nil { splicePipe = try? SplicePipe() }
        return splicePipe
    }
}
