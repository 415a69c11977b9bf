import FerryTestSupport

/// How a ``TusEndpoint`` treats one request; by default as tus says.
struct TusTreatment: Sendable {
    /// The answer, in place of what would be done; the body is not kept.
    var answer: FixtureAnswer?
    /// How many bytes of the body are kept.
    var keeps = Int.max
    /// Whether the connection ends in place of the answer.
    var losesAnswer = false
    /// How many of the bytes that are there are forgotten before the request is looked at.
    var forgets = 0
    /// `Upload-Offset` in the answer, in place of the true one; an empty one is left out.
    var claimedOffset: String?

    /// Changes it in any way.
    static func with(_ change: (inout TusTreatment) -> Void) -> TusTreatment {
        var treatment = TusTreatment()
        change(&treatment)
        return treatment
    }

    /// Answers with this and does nothing.
    static func answering(_ answer: FixtureAnswer) -> TusTreatment { .with { $0.answer = answer } }

    /// Answers with a status and does nothing.
    static func answering(
        _ status: Int,
        _ fields: [(name: String, value: String)] = []
    ) -> TusTreatment {
        .answering(.status(status, fields: [TusEndpoint.version] + fields, body: "no"))
    }
}
