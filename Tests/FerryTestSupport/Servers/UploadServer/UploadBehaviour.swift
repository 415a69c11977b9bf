/// How an ``UploadServer`` treats one request; by default as the draft says.
package struct UploadBehaviour: Sendable {
    /// How many bytes of the body are taken before the connection ends.
    package var cut: Int?
    /// After how many bytes of the body reading waits, and what for.
    package var hold: (byteCount: Int, gate: FixtureGate)?
    /// Whether the connection ends by a reset.
    package var isReset = false
    /// Whether the whole body is taken, and the connection ends in place of the answer.
    package var losesAnswer = false
    /// Whether the interim response is sent that tells of the resource.
    package var announces = true
    /// The version in that, in place of the server's.
    package var announcedVersion: Int?
    /// Where the resource is by that, in place of where it is.
    package var location: String?
    /// The status of the answer, in place of what would be done; the body is not kept.
    package var status: Int?
    /// Further fields of the answer.
    package var fields: [(name: String, value: String)] = []
    /// The offset in the answer, in place of the true one.
    package var claimedOffset: Int?
    /// What the answer says about completeness, in place of the truth.
    package var claimedCompleteness: Bool?
    /// How many of the bytes that are there are forgotten before the request is looked at.
    package var forgets = 0

    /// As the draft says.
    package init() {}

    /// Ends the connection when that many bytes of the body have come.
    package static func cutting(after byteCount: Int, isReset: Bool = false) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        behaviour.cut = byteCount
        behaviour.isReset = isReset
        return behaviour
    }

    /// Answers with a status and does nothing.
    package static func answering(
        _ status: Int,
        _ fields: [(name: String, value: String)] = []
    ) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        behaviour.status = status
        behaviour.fields = fields
        return behaviour
    }

    /// Changes it in any way.
    package static func with(
        _ change: (inout UploadBehaviour) -> Void
    ) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        change(&behaviour)
        return behaviour
    }
}
