import COpenSSL
import FerrySystem

/// The reference from a TLS context to the party that its connections are made for.
///
/// The reference is weak because a kept connection's TLS context outlives an exchange.
// @unchecked because the weak reference changes by itself; everything is read and changed on the loop alone.
final class HandshakeContext: @unchecked Sendable {
    private(set) weak var party: (any HandshakeParty)?
    /// Whether the server has said that nothing more comes (close_notify, RFC 8446 §6.1).
    var hasAnnouncedEnd = false

    private init(_ party: any HandshakeParty) { self.party = party }

    /// Keeps a party in a TLS context, which owns the reference.
    ///
    /// - Parameters:
    ///   - party: The party that decides on the connections of the context.
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

    /// Returns the party that is kept in the TLS context of a connection, if it still exists.
    ///
    /// - Parameter tls: OpenSSL's `SSL`.
    /// - Returns: The party.
    static func party(of tls: OpaquePointer) -> (any HandshakeParty)? { kept(for: tls)?.party }

    /// Returns the reference that is kept in the TLS context of a connection.
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
