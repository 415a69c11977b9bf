extension Download {
    /// When to fetch a body over several connections, and over how many.
    package struct SegmentPolicy: Hashable, Sendable {
        /// The maximum number of connections for one body, 1...16; 4 by default, and 1 for one after the other.
        ///
        /// It is only a limit: each connection has to be worth it.
        package var maximumConnections: Int
        /// The minimum of missing bytes for which several connections are used, 8 MiB by default.
        package var minimumBodyBytes: Int64
        /// The smallest part that is requested separately, 256 KiB by default.
        ///
        /// At the end of a download all connections but one wait for the last part, so it should be short. Its
        /// request costs a kilobyte and a round trip.
        package var minimumSegmentBytes: Int64
        /// How long to measure the rate before and after a change of the number, 400 ms by default.
        ///
        /// With 0 nothing is measured: all allowed connections are opened at once.
        package var window: Duration
        /// The minimum share of the possible gain that further connections must achieve; 0.25 by default.
        package var requiredGain: Double
        /// The minimum time left for a body if another connection is to be opened, 2 s by default.
        package var minimumTimeLeft: Duration
        /// How long a part must still take for another connection to take over its end, 1 s by default: bytes
        /// that are already in flight would arrive twice.
        package var minimumSplitTime: Duration
        /// The minimum time that a connection is to be busy with one part, 250 ms by default.
        package var minimumSegmentTime: Duration
        /// How long one of several connections may receive nothing before it is replaced, 4 s by default.
        ///
        /// The time doubles with each replacement, up to 64 s. After an outage a server waits longer and
        /// longer before it sends a lost packet again, on each connection separately; a new one does not wait.
        package var stallTime: Duration
        /// How long one connection may be busy with one part, 8 s by default.
        package var maximumSegmentTime: Duration

        /// Makes a policy.
        package init(
            maximumConnections: Int = 4,
            minimumBodyBytes: Int64 = 8 << 20,
            minimumSegmentBytes: Int64 = 256 << 10,
            window: Duration = .milliseconds(400),
            requiredGain: Double = 0.25,
            minimumTimeLeft: Duration = .seconds(2),
            minimumSplitTime: Duration = .seconds(1),
            minimumSegmentTime: Duration = .milliseconds(250),
            stallTime: Duration = .seconds(4),
            maximumSegmentTime: Duration = .seconds(8)
        ) {
            self.maximumConnections = max(1, min(maximumConnections, Self.connectionLimit))
            self.minimumBodyBytes = minimumBodyBytes
            self.minimumSegmentBytes = max(1, minimumSegmentBytes)
            self.window = window
            self.requiredGain = requiredGain
            self.minimumTimeLeft = minimumTimeLeft
            self.minimumSplitTime = minimumSplitTime
            self.minimumSegmentTime = minimumSegmentTime
            self.stallTime = stallTime
            self.maximumSegmentTime = maximumSegmentTime
        }

        /// The limit of connections to one server, as in aria2.
        package static let connectionLimit = 16

        /// Returns the policy with the number of connections that an app wants; `nil` keeps the policy's
        /// number.
        package func limited(to connections: Int?) -> SegmentPolicy {
            var policy = self
            policy.maximumConnections =
                connections.map { max(1, min($0, Self.connectionLimit)) } ?? maximumConnections
            return policy
        }

        /// Uses several connections for bodies from this size on; small bodies get smaller parts.
        package mutating func divideBodies(from byteCount: Int64) {
            minimumBodyBytes = byteCount
            minimumSegmentBytes = max(1, min(minimumSegmentBytes, byteCount / 8))
        }

        /// One connection at a time.
        package static let off = SegmentPolicy(maximumConnections: 1)

        /// Opens all connections at once, whether or not they are worth it.
        package static func eager(
            _ connections: Int,
            minimumSegmentBytes: Int64 = 1 << 20,
            stallTime: Duration = .seconds(60)
        ) -> SegmentPolicy {
            SegmentPolicy(
                maximumConnections: connections,
                minimumBodyBytes: 2 * minimumSegmentBytes,
                minimumSegmentBytes: minimumSegmentBytes,
                window: .zero,
                stallTime: stallTime
            )
        }
    }
}
