import COpenSSL
import FerrySystem

/// What OpenSSL's callbacks find those by whom a connection is made for.
///
/// A kept connection's TLS context outlives an exchange, to which it refers weakly therefore.
// @unchecked because the reference changes by itself; all is read and changed on the loop alone.
final class HandshakeContext: @unchecked Sendable {
    private(set) weak var party: (any HandshakeParty)?
    /// Whether the server has said that nothing more comes (close_notify, RFC 8446 §6.1).
    var hasAnnouncedEnd = false

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
    static func party(of tls: OpaquePointer) -> (any HandshakeParty)? { kept(for: tls)?.party }

    /// What is kept in the TLS context of a connection.
    ///
    /// - Parameter tls: OpenSSL's `SSL`.
    /// - Returns: The reference.
    static func kept(for tls: OpaquePointer) -> HandshakeContext? {
        COpenSSL_kept(tls, place).map {
            Unmanaged<HandshakeContext>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static let place = COpenSSL_make_place { _, kept, _, _, _, _ in
        if let kept { Unmanaged<HandshakeContext>.fromOpaque(kept).release() }
    }
}
