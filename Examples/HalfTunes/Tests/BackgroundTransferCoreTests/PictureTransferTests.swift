import BackgroundTransferCore
import DesktopCore
import Foundation
import HalfTunesTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct PictureTransferTests {
    private let trial: TrialCatalog
    private let directory: TestDirectory
    private let changes = Changes()
    private let sessionIdentifier = UUID().uuidString

    init() throws {
        _ = TestDaemon.home
        // Six seconds for the picture, so that there is time to do something meanwhile.
        trial = try TrialCatalog(rate: 1_000_000)
        directory = try TestDirectory()
    }

    private func makeTransfer() -> PictureTransfer {
        let environment = [
            "HOME": directory.url.path,
            PictureTransfer.addressVariable: trial.picture("evening").absoluteString,
        ]
        let transfer = PictureTransfer(
            environment: environment,
            sessionIdentifier: sessionIdentifier
        )
        transfer.changed = { [changes] in changes.record() }
        return transfer
    }

    private func hurry() async throws {
        try await trial.change(#"{"rate": 0}"#)
    }

    private var place: URL {
        directory.url.appending(path: "Pictures/Background Transfer/evening.png")
    }

    private var log: String {
        let file = directory.url.appending(path: ".local/state/background-transfer/transfers.log")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }

    private func hasProgress(_ transfer: PictureTransfer) -> Bool {
        if case .downloading(.some) = transfer.state { true } else { false }
    }

    @Test
    func `the first launch downloads the picture into a folder among the user's`() async throws {
        let transfer = makeTransfer()
        await transfer.begin()
        #expect(transfer.state == .downloading(nil))
        try await changes.until { hasProgress(transfer) }
        try await hurry()
        try await changes.until { transfer.state == .here(place) }
        let content = try await trial.curl(trial.picture("evening").absoluteString)
        #expect(try Data(contentsOf: place) == content)
        #expect(log.hasSuffix(" evening.png is downloaded.\n"))
    }

    @Test
    func `a picture that is there is shown, and downloaded again when asked for`() async throws {
        try directory.write("old", to: "Pictures/Background Transfer/evening.png")
        let transfer = makeTransfer()
        await transfer.begin()
        #expect(transfer.state == .here(place))
        try await hurry()
        transfer.download()
        #expect(transfer.state == .downloading(nil))
        try await changes.until { transfer.state == .here(place) }
        #expect(try Data(contentsOf: place).count == 6_481_763)
    }

    @Test
    func `a later launch finds the download that goes on`() async throws {
        let transfer = makeTransfer()
        await transfer.begin()
        try await changes.until { hasProgress(transfer) }
        let later = makeTransfer()
        await later.begin()
        #expect(hasProgress(later))
        try await hurry()
        try await changes.until { transfer.state == .here(place) }
        #expect(log.split(separator: "\n").count == 1)
    }

    @Test
    func `a refusal is told and logged, and can be tried again`() async throws {
        try await trial.change(#"{"status": 404, "rate": 0}"#)
        let transfer = makeTransfer()
        await transfer.begin()
        let reason = try #require(DownloadFailure.refused(status: 404).errorDescription)
        try await changes.until { transfer.state == .failed(reason) }
        #expect(log.contains(" evening.png was not downloaded: "))
        try await trial.change(#"{"status": 200}"#)
        transfer.download()
        try await changes.until { transfer.state == .here(place) }
    }

    @Test
    func `what is no address is told`() async {
        let environment = ["HOME": directory.url.path, PictureTransfer.addressVariable: ""]
        let transfer = PictureTransfer(
            environment: environment,
            sessionIdentifier: sessionIdentifier
        )
        await transfer.begin()
        guard case .failed = transfer.state else {
            Issue.record("\(transfer.state)")
            return
        }
    }
}
