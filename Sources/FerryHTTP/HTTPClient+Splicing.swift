import CCurl
import FerrySystem
import Glibc

/// The rest of a body, to be read without libcurl.
struct SpliceRest: ~Copyable {
    let socket: FileDescriptor
    let byteCount: Int64
}

extension HTTPClient {
    /// Returns whether enough of a body is missing for splicing to be worthwhile.
    func canSplice(_ easy: CurlEasy, after received: Int64) -> Bool {
        guard let missing = missingByteCount(of: easy, after: received) else { return false }
        return missing >= configuration.minimumSplicedBytes && emptyPipe() != nil
    }

    /// Returns the rest of a body, once libcurl has delivered everything that it has read; `nil` if it holds
    /// something back, or its connection is gone.
    func spliceRest(
        of easy: CurlEasy,
        after received: Int64
    ) throws(SystemCallError) -> SpliceRest? {
        guard let missing = missingByteCount(of: easy, after: received), missing > 0,
            easy.downloadedByteCount == received,
            let socket = easy.connection.flatMap({ multi.socket(of: $0) })
        else { return nil }
        // A duplicate: libcurl closes its own descriptor when it releases the handle.
        let duplicate = try systemCall("fcntl") { fcntl(socket, F_DUPFD_CLOEXEC, 0) }
        return SpliceRest(
            socket: FileDescriptor(owning: duplicate),
            byteCount: missing
        )
    }

    /// Returns how much of a body is missing on a connection that carries nothing but its bytes.
    private func missingByteCount(of easy: CurlEasy, after received: Int64) -> Int64? {
        // The connection to a proxy might use TLS, which cannot be detected here.
        guard !mayUseProxy, easy.isPlain, let byteCount = easy.bodyByteCount else { return nil }
        return byteCount - received
    }

    /// Returns the only pipe of this client, whose bytes must be taken out before the next call.
    ///
    /// A pipe in which a handler has left bytes is discarded with them: they belong to no other exchange.
    func emptyPipe() -> SplicePipe? {
        if let splicePipe, splicePipe.count > 0 { self.splicePipe = nil }
        if splicePipe == nil { splicePipe = try? SplicePipe() }
        return splicePipe
    }
}
