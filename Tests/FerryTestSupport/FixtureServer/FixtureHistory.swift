/// What a ``FixtureServer`` has seen so far.
package struct FixtureHistory: Sendable {
    /// The requests in the order of their arrival.
    package internal(set) var requests: [FixtureRequest] = []
    /// How many connections were accepted.
    package internal(set) var connectionCount = 0
    /// How many connections are open.
    package internal(set) var openConnectionCount = 0
    /// The most connections that were open at one time.
    package internal(set) var maximumOpenConnectionCount = 0

    /// How often a body was not read any further because of a ``FixtureHold``.
    package internal(set) var heldBodyCount = 0

    /// Whether new connections are accepted.
    var isListening = true

    /// The requests to a path, in the order of their arrival.
    package func requests(to path: String) -> [FixtureRequest] {
        requests.filter { $0.path == path }
    }
}
