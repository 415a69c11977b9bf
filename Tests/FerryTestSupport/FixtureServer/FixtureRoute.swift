/// What one path of a ``FixtureServer`` answers, request after request.
struct FixtureRoute: Sendable {
    typealias Answer = @Sendable (FixtureRequest) -> FixtureAnswer

    private var waiting: [FixtureAnswer]
    private var last: Answer

    init(answers: [FixtureAnswer]) {
        waiting = answers.dropLast()
        let final = answers.last ?? .status(404)
        last = { _ in final }
    }

    init(answer: @escaping Answer) {
        waiting = []
        last = answer
    }

    mutating func next() -> Answer {
        guard !waiting.isEmpty else { return last }
        let first = waiting.removeFirst()
        return { _ in first }
    }
}
