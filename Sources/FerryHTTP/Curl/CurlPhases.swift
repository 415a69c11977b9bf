/// How long the phases of a request have taken, each counted from the same moment.
struct CurlPhases {
    /// Up to the host's address.
    var lookup: Duration
    /// Up to the connection, without TLS.
    var connect: Duration
    /// Up to TLS; zero without it.
    var secureConnect: Duration
    /// Whether the connection was there before.
    var isReusedConnection: Bool
}
