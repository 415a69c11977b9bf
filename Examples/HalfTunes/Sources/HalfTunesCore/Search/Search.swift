package import DesktopCore
import Foundation

/// The search: one query at a time, and the page that shows what came of it.
@MainActor
package final class Search {
    /// What the view shows; during a query it is what was there before.
    package private(set) var page = SearchPage.welcome
    /// Whether a query is under way.
    package private(set) var isSearching = false
    /// Called after each change.
    package var changed: @MainActor () -> Void = {}

    private let last: JSONFile<String>?
    private let songs: @Sendable (String) async throws -> [Track]
    private let clock: any Clock<Duration>
    private let pause: Duration
    private var term = ""
    private var query: Task<Void, Never>?

    /// A search.
    ///
    /// - Parameters:
    ///   - pause: How long a person must not have typed before it is searched for the text.
    ///   - clock: What measures the pause.
    ///   - last: Keeps the text for the next launch.
    ///   - songs: Asks the catalog.
    package init(
        pause: Duration = .milliseconds(300),
        clock: any Clock<Duration> = ContinuousClock(),
        last: JSONFile<String>? = nil,
        songs: @escaping @Sendable (String) async throws -> [Track]
    ) {
        self.last = last
        self.pause = pause
        self.clock = clock
        self.songs = songs
    }

    /// The text of the last search, in an earlier launch most likely; empty when there is none.
    package var lastText: String { last?.read() ?? "" }

    /// The text has changed: searches for it after a pause.
    package func type(_ text: String) {
        guard isNew(text) else { return }
        begin(after: pause)
    }

    /// Searches for a text now, also if it was searched for before.
    package func submit(_ text: String) {
        _ = isNew(text)
        begin(after: .zero)
    }

    /// Remembers the text without the spaces around it; whether it differs from the one before.
    private func isNew(_ text: String) -> Bool {
        let previous = term
        term = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return term != previous
    }

    private func begin(after delay: Duration) {
        query?.cancel()
        query = nil
        guard !term.isEmpty else {
            keep("")
            return show(.welcome)
        }
        query = Task { [weak self, term, clock] in
            if delay > .zero {
                do { try await clock.sleep(for: delay) } catch { return }
            }
            await self?.search(for: term)
        }
    }

    private func search(for term: String) async {
        // Cancelled just after its pause: the next one is at work already.
        guard !Task.isCancelled else { return }
        isSearching = true
        keep(term)
        changed()
        let page = await page(for: term)
        // A cancelled query says nothing: the one that took its place does.
        guard !Task.isCancelled else { return }
        query = nil
        show(page)
    }

    private func keep(_ text: String) {
        // Without it, the next launch begins with an empty entry.
        if text != lastText { try? last?.write(text) }
    }

    private func show(_ page: SearchPage) {
        isSearching = false
        self.page = page
        changed()
    }

    private func page(for term: String) async -> SearchPage {
        do {
            let tracks = try await songs(term)
            return tracks.isEmpty ? .nothing(term: term) : .results(tracks)
        } catch CatalogError.offline {
            return .offline
        } catch CatalogError.refused(let status) {
            return .failed(Texts.refused(status: status))
        } catch CatalogError.failed(let reason) {
            return .failed(reason)
        } catch {
            return .failed(Texts.unreadable)
        }
    }
}

/// What the search view shows below the entry.
package enum SearchPage: Hashable {
    /// Nothing was searched for yet.
    case welcome
    case results([Track])
    /// There are no songs for this term.
    case nothing(term: String)
    case offline
    /// The search failed, for the reason in the text.
    case failed(String)
}
