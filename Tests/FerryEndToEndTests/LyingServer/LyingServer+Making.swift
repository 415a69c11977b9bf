import FerryTestSupport

extension LyingServer {
    /// The lie is the first answer; what follows is honest, for those who ask again.
    static func lie(
        _ behaviour: String,
        _ answers: FixtureAnswer...,
        elsewhere: FixtureAnswer? = nil,
        gets outcome: Outcome,
        asks: [String?] = [whole]
    ) -> LyingServer {
        LyingServer(
            behaviour: behaviour,
            validator: "\"v1\"",
            answers: answers + [.oldFile],
            elsewhere: elsewhere,
            outcome: outcome,
            asks: asks
        )
    }

    /// A first answer, honest but cut; then the lie, which a request for the rest meets; then all is honest.
    static func continuation(
        _ behaviour: String,
        after beginning: FixtureFile = FixtureFile(old),
        _ answers: FixtureAnswer...,
        gets outcome: Outcome,
        asks: [String?]
    ) -> LyingServer {
        LyingServer(
            behaviour: behaviour,
            beginning: .file(beginning),
            validator: beginning.entityTag ?? beginning.lastModified,
            answers: answers + [.file(beginning)],
            outcome: outcome,
            asks: asks
        )
    }

    /// With a time-out that has to run out before a good end.
    func wastingTime() -> LyingServer {
        var lie = self
        lie.wastesTime = true
        return lie
    }
}
