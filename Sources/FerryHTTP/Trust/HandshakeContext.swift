import COpenSSL
import FerrySystem

/// What OpenSSL's callbacks find the exchange by that a connection is made for.
///
/// A kept connection's TLS context outlives the exchange, to which it refers weakly therefore.
// @unchecked because the reference changes by itself; it is read on the loop alone.
final class HandshakeContext: @unchecked Sendable {
    private(set) weak var exchange: HTTPExchange?

    private init(_ exchange: HTTPExchange) { self.exchange = exchange }

    /// Keeps an exchange in a TLS context, with which the reference goes.
    ///
    /// - Parameters:
    ///   - exchange: Who decides on the connections of the context.
    ///   - tlsContext: OpenSSL's `SSL_CTX`.
    /// - Returns: The reference; `nil` when memory has run out.
    static func keep(
        _ exchange: HTTPExchange,
        in tlsContext: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        let context = Unmanaged.passRetained(HandshakeContext(exchange)).toOpaque()
        guard COpenSSL_keep(tlsContext, place, context) == 1 else {
            Unmanaged<HandshakeContext>.fromOpaque(context).release()
            return nil
        }
        return context
    }

    /// The exchange that is kept in the TLS context of a connection, if it has not ended.
    ///
    /// - Parameter tls: OpenSSL's `SSL`.
    /// - Returns: The exchange.
    static func exchange(of tls: OpaquePointer) -> HTTPExchange? {
        COpenSSL_kept(tls, place).flatMap {
            Unmanaged<HandshakeContext>.fromOpaque($0).takeUnretainedValue().exchange
        }
    }

    private static let place = COpenSSL_make_place { _, kept, _, _, _, _ in
        if let kept { Unmanaged<HandshakeContext>.fromOpaque(kept).release() }
    }
}
