extension Download {
    /// When the parts of a body are fetched by several connections, and by how many.
    package struct SegmentPolicy: Hashable, Sendable {
        /// How many connections may fetch one body, 1...16; 4 by default, and 1 for one after the other.
        ///
        /// That there may be as many is no reason to have them: each has to be worth it.
        package var maximumConnections: Int
        /// How much of a body must be missing for several connections to fetch it, 8 MiB by default.
        package var minimumBodyBytes: Int64
        /// The smallest part that is asked for by itself, 256 KiB by default.
        ///
        /// At the end of a download all connections but one wait for the last part: it is to be short. Its
        /// request costs a kilobyte and a round trip.
        package var minimumSegmentBytes: Int64
        /// How long the rate is measured before and after a change of the number, 400 ms by default.
        ///
        /// 0 for not at all: as many connections as there may be are then made at once.
        package var window: Duration
        /// What share of the gain that further connections could bring they must bring at least; 0.25 by
        /// default.
        package var requiredGain: Double
        /// How much time a body must still take for another connection to be made, 2 s by default.
        package var minimumTimeLeft: Duration
        /// How long a connection must be busy with its part for another one to take the end of it, 1 s by
        /// default: what is in flight already would come twice.
        package var minimumSplitTime: Duration
        /// How long a connection is to be busy with one part at least, 250 ms by default.
        package var minimumSegmentTime: Duration
        /// How long one of several connections may bring nothing until another takes its place, 4 s by default.
        ///
        /// Each time that happens it takes twice as long, up to a minute. After an outage a server waits longer
        /// and longer before it sends a lost packet again, on each connection by itself; a new one does not wait.
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

        /// More than that no server is asked for at once, as with aria2.
        package static let connectionLimit = 16

        /// The same with as many connections as an app wants; `nil` for those of the policy.
        package func limited(to connections: Int?) -> SegmentPolicy {
            var policy = self
            policy.maximumConnections =
                connections.map { max(1, min($0, Self.connectionLimit)) } ?? maximumConnections
            return policy
        }

        /// Has several connections fetch bodies from this size on; of small ones by smaller parts.
        package mutating func divideBodies(from byteCount: Int64) {
            minimumBodyBytes = byteCount
            minimumSegmentBytes = max(1, min(minimumSegmentBytes, byteCount / 8))
        }

        /// One connection after the other.
        package static let off = SegmentPolicy(maximumConnections: 1)

        /// As many connections as there may be, at once and whether they pay or not.
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
