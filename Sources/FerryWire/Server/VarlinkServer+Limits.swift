extension VarlinkServer {
    /// What clients may ask of a server; a client that asks for more harms only itself.
    package struct Limits: Hashable, Sendable {
        /// The size and depth of a call; a connection with a greater one is closed.
        package var message = MessageLimits.calls
        /// The calls of one connection that are carried out at once; further ones wait unread.
        ///
        /// All of them share a transaction, for which the disk takes the same time as for one.
        package var pendingCallCount = 1024
        /// The bytes of these calls; a further one waits unread unless it is the only one.
        package var pendingByteCount = 1 << 20
        /// The connections of one process; further ones are refused.
        package var connectionCountPerProcess = 128
        /// All connections; a further one takes the place of one of the process that has the most.
        package var connectionCount = 2048
        /// From how many unread bytes of answers on ``Reply/isWritable`` is false.
        package var writableByteCount = 256 << 10
        /// With how many unread bytes of answers a connection is closed.
        package var queuedByteCount = 32 << 20
        /// The bytes held for all connections; beyond, the one with the most is closed.
        package var heldByteCount = 128 << 20

        /// For how long the calls of a client that is gone wait for a file that has come along with one of them.
        package var hangUpPatience = Duration.seconds(30)

        /// Creates the limits that ferryd has.
        package init() {}
    }
}
