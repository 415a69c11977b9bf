/// Bytes that are no message of rtnetlink(7).
struct MalformedNetworkMessage: Error, Hashable, Sendable {}
