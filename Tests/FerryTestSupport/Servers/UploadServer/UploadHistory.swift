/// What an ``UploadServer`` has seen so far.
package struct UploadHistory: Sendable {
    /// The requests in the order of their arrival.
    package internal(set) var requests: [UploadServerRequest] = []
    /// How many bytes of bodies have come, in all.
    package internal(set) var receivedByteCount = 0
    /// How many resources were taken back by their client.
    package internal(set) var removedCount = 0
}
