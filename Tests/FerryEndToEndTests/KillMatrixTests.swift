import Testing

/// The promises under sixty kills.
@Suite(.serialized, .timeLimit(.minutes(3))) struct KillMatrixTests {
    @Test(arguments: KillMatrixRun.Victim.allCases)
    func `twenty downloads survive twenty kills, and no written byte is fetched again`(
        victim: KillMatrixRun.Victim
    ) async throws {
        let run = try await KillMatrixRun()
        try await run.startApp(creatingDownloads: true)
        try await run.kill(victim, times: 20)
        try run.expectFiles()
        run.expectEvents()
    }
}
