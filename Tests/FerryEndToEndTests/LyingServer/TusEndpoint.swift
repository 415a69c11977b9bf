import FerryTestSupport
import Synchronization

/// A server of tus for one upload to `/files`, which speaks it well where it is not told to do otherwise.
final class TusEndpoint: Sendable {
    /// A request as what treats it sees it.
    struct Request: Sendable {
        let method: String
        /// How many requests of this method there were before.
        let number: Int
        /// Whether it is in the words of tus.
        let isTus: Bool
    }

    private struct State {
        var bytes: [UInt8] = []
        var counts: [String: Int] = [:]
    }

    static let version = (name: "Tus-Resumable", value: "1.0.0")
    static let capabilities = [
        version, (name: "Tus-Version", value: "1.0.0"),
        (name: "Tus-Extension", value: "creation,termination"),
    ]

    private let server: FixtureServer
    private let state = Mutex(State())
    private let treatment: @Sendable (Request) -> TusTreatment

    init(treatment: @escaping @Sendable (Request) -> TusTreatment) throws {
        self.treatment = treatment
        server = try FixtureServer()
        for path in ["/files", "/files/1"] {
            server.on(path) { [weak self] in self?.answer($0) ?? .status(500) }
        }
    }

    var url: String { server.url("/files") }

    /// What has come.
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    private func answer(_ request: FixtureRequest) -> FixtureAnswer {
        state.withLock { state in
            let seen = Request(
                method: request.method,
                number: state.counts[request.method, default: 0],
                isTus: request["Tus-Resumable"] != nil
            )
            state.counts[request.method, default: 0] += 1
            let treatment = treatment(seen)
            if let answer = treatment.answer { return answer }
            state.bytes.removeLast(min(treatment.forgets, state.bytes.count))
            let answer = truth(request, treatment, &state)
            return treatment.losesAnswer ? .script([.close]) : answer
        }
    }

    private func truth(
        _ request: FixtureRequest,
        _ treatment: TusTreatment,
        _ state: inout State
    ) -> FixtureAnswer {
        switch request.method {
        case "OPTIONS":
            return .status(204, fields: Self.capabilities)
        case "POST" where request["Tus-Resumable"] != nil:
            state.bytes = Array(request.body.prefix(treatment.keeps))
            return .status(201, fields: fields([("Location", "/files/1")], treatment, state))
        case "HEAD":
            return .status(200, fields: fields([("Cache-Control", "no-store")], treatment, state))
        case "PATCH":
            guard request["Upload-Offset"] == "\(state.bytes.count)" else {
                return .status(409, fields: [Self.version])
            }
            state.bytes += request.body.prefix(treatment.keeps)
            return .status(204, fields: fields([], treatment, state))
        default:
            return .status(412, fields: Self.capabilities, body: "no")
        }
    }

    private func fields(
        _ own: [(name: String, value: String)],
        _ treatment: TusTreatment,
        _ state: State
    ) -> [(name: String, value: String)] {
        let offset = treatment.claimedOffset ?? "\(state.bytes.count)"
        return [Self.version] + own + (offset.isEmpty ? [] : [("Upload-Offset", offset)])
    }
}

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
