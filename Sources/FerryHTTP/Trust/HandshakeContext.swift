import COpenSSL
import FerrySystem

/// What OpenSSL's callbacks find those by whom a connection is made for.
///
/// A kept connection's TLS context outlives an exchange, to which it refers weakly therefore.
// @unchecked because the reference changes by itself; it is read on the loop alone.
final class HandshakeContext: @unchecked Sendable {
    private(set) weak var party: (any HandshakeParty)?

    private init(_ party: any HandshakeParty) { self.party = party }

    /// Keeps somebody in a TLS context, with which the reference goes.
    ///
    /// - Parameters:
    ///   - party: Who decides on the connections of the context.
    ///   - tlsContext: OpenSSL's `SSL_CTX`.
    /// - Returns: The reference; `nil` when memory has run out.
    static func keep(
        _ party: any HandshakeParty,
        in tlsContext: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        let context = Unmanaged.passRetained(HandshakeContext(party)).toOpaque()
        guard COpenSSL_keep(tlsContext, place, context) == 1 else {
            Unmanaged<HandshakeContext>.fromOpaque(context).release()
            return nil
        }
        return context
    }

    /// Who is kept in the TLS context of a connection, if there still.
    ///
    /// - Parameter tls: OpenSSL's `SSL`.
    /// - Returns: Who decides.
    static func party(of tls: OpaquePointer) -> (any HandshakeParty)? {
        COpenSSL_kept(tls, place).flatMap {
            Unmanaged<HandshakeContext>.fromOpaque($0).takeUnretainedValue().party
        }
    }

    private static let place = COpenSSL_make_place { _, kept, _, _, _, _ in
        if let kept { Unmanaged<HandshakeContext>.fromOpaque(kept).release() }
    }
}
