/// Decides which requests share a transaction; performs nothing itself.
struct CommitQueue {
    private var requests: [CommitRequest] = []

    /// Adds a request behind all others.
    ///
    /// - Returns: Whether the caller must arrange for a call of ``takeGroups()``: it is the first
    ///   request since the last one.
    mutating func append(_ request: CommitRequest) -> Bool {
        requests.append(request)
        return requests.count == 1
    }

    /// Takes everything that has come in, in the groups that are to be one transaction each.
    mutating func takeGroups() -> [[CommitRequest]] {
        defer { requests = [] }
        var groups: [[CommitRequest]] = []
        var canJoin = false
        for request in requests {
            if canJoin, !request.isUnbounded {
                groups[groups.count - 1].append(request)
            } else {
                groups.append([request])
            }
            canJoin = !request.isUnbounded
        }
        return groups
    }
}
