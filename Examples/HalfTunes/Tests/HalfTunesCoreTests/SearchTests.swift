import DesktopCore
import Ferry
import Foundation
import HalfTunesTestSupport
import Testing

@testable import HalfTunesCore

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct SearchTests {
    private let trial: TrialCatalog
    private let search: Search
    private let pages: AsyncStream<SearchPage>

    init() throws {
        let trial = try TrialCatalog()
        let catalog = Catalog(address: trial.address, configuration: .ephemeral)
        let search = Search(pause: .milliseconds(5)) { try await catalog.songs(matching: $0) }
        let (pages, page) = AsyncStream.makeStream(of: SearchPage.self)
        search.changed = { [unowned search] in
            if !search.isSearching { page.yield(search.page) }
        }
        (self.trial, self.search, self.pages) = (trial, search, pages)
    }

    private func nextPage() async -> SearchPage? {
        for await page in pages { return page }
        return nil
    }

    @Test
    func `typing searches for the text without the spaces around it`() async throws {
        search.type(" blue river ")
        guard case .results(let tracks) = await nextPage() else {
            Issue.record("\(search.page)")
            return
        }
        #expect(tracks.map(\.title) == ["Blue River"])
        #expect(try await trial.searches(1) == ["blue river"])
    }

    @Test
    func `the last text is known to a later launch, until the entry is empty`() async throws {
        let directory = try TestDirectory()
        let file = JSONFile<String>(url: directory.url.appending(component: "search.json"))
        let search = Search(pause: .milliseconds(5), last: file) { _ in [] }
        #expect(search.lastText.isEmpty)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        search.changed = { [unowned search] in if !search.isSearching { end.yield() } }
        search.type(" blue river ")
        for await _ in ends { break }
        #expect(Search(last: file) { _ in [] }.lastText == "blue river")
        search.type("")
        #expect(Search(last: file) { _ in [] }.lastText.isEmpty)
    }

    @Test
    func `of a word that is typed quickly only the end is searched for`() async throws {
        for end in 1...4 { search.type(String("blue".prefix(end))) }
        _ = await nextPage()
        #expect(try await trial.searches(1) == ["blue"])
    }

    @Test
    func `a new search cancels the running one, whose answer is not shown`() async throws {
        try await trial.change(#"{"holds_searches": true}"#)
        search.submit("blue")
        _ = try await trial.searches(1)
        #expect(search.isSearching)
        search.submit("golden")
        _ = try await trial.searches(2)
        try await trial.change(#"{"holds_searches": false}"#)
        guard case .results(let tracks) = await nextPage() else {
            Issue.record("\(search.page)")
            return
        }
        #expect(tracks.count == 6)
        #expect(tracks.allSatisfy { $0.title.hasPrefix("Golden") })
        #expect(!search.isSearching)
    }

    @Test
    func `an empty text ends the search and welcomes`() async throws {
        try await trial.change(#"{"holds_searches": true}"#)
        search.submit("blue")
        _ = try await trial.searches(1)
        search.type("")
        #expect(search.page == .welcome)
        #expect(!search.isSearching)
    }

    @Test
    func `a term without songs has a page of its own`() async {
        search.submit("zzz")
        #expect(await nextPage() == .nothing(term: "zzz"))
    }

    @Test
    func `a refusal is told, and the same text can be searched for again`() async throws {
        try await trial.change(#"{"status": 503}"#)
        search.submit("blue river")
        #expect(
            await nextPage() == .failed("The catalog is not available now (503). Try again later.")
        )
        try await trial.change(#"{"status": 200}"#)
        search.submit("blue river")
        guard case .results = await nextPage() else {
            Issue.record("\(search.page)")
            return
        }
    }

    @Test
    func `without a network the page says so`() async {
        let search = Search { _ in throw CatalogError.offline }
        await withCheckedContinuation { continuation in
            search.changed = { [unowned search] in
                if !search.isSearching { continuation.resume() }
            }
            search.submit("blue")
        }
        #expect(search.page == .offline)
    }
}
