extension VarlinkServer {
    /// The limits for clients of a server; a client that exceeds them harms only itself.
    package struct Limits: Hashable, Sendable {
        /// The size and depth of a call; a connection with a greater one is closed.
        package var message = MessageLimits.calls
        /// The calls of one connection that are carried out at once; further ones wait unread.
        ///
        /// They share a transaction, for which the disk takes the same time as for a single call.
        package var pendingCallCount = 1024
        /// The bytes of these calls; a further one waits unread unless it is the only one.
        package var pendingByteCount = 1 << 20
        /// The connections of one process; further ones are refused.
        package var connectionCountPerProcess = 128
        /// All connections; a further one replaces one of the process that has the most.
        package var connectionCount = 2048
        /// The number of unread bytes of answers from which ``Reply/isWritable`` is false.
        package var writableByteCount = 256 << 10
        /// The number of unread bytes of answers above which a connection is closed.
        package var queuedByteCount = 32 << 20
        /// The bytes held for all connections; above this, the one with the most is closed.
        package var heldByteCount = 128 << 20

        /// The time for which the calls of a client that is gone wait for a file that was passed with one of them.
        package var hangUpPatience = Duration.seconds(30)

        /// Creates ferryd's limits.
        package init() {}
    }
}
