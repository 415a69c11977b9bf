package import Ferry
package import Foundation

/// The music catalog: an iTunes Search API, asked through a default session.
package struct Catalog: Sendable {
    /// The one of Apple's.
    package static var apple: URL {
        guard let url = URL(string: "https://itunes.apple.com") else {
            preconditionFailure("The address is no URL.")
        }
        return url
    }

    /// The environment variable that names another one.
    package static let addressVariable = "HALF_TUNES_CATALOG"

    private let address: URL
    private let session: URLSession

    /// A catalog.
    ///
    /// - Parameters:
    ///   - address: Where it is, without `/search`.
    ///   - configuration: Of the session that asks it.
    package init(address: URL, configuration: URLSessionConfiguration = .default) {
        self.address = address
        configuration.httpAdditionalHeaders = ["Accept": "application/json"]
        configuration.timeoutIntervalForRequest = 20
        session = URLSession(configuration: configuration)
    }

    /// Finds the songs that fit a text.
    ///
    /// Cancelling the task cancels the query.
    ///
    /// - Parameter term: What was typed.
    /// - Returns: The songs, in the order of the catalog.
    /// - Throws: ``CatalogError``, or `CancellationError`.
    package func songs(matching term: String) async throws -> [Track] {
        let data = try await body(of: query(for: term))
        do {
            return try JSONDecoder().decode(SearchResponse.self, from: data).tracks
        } catch {
            throw CatalogError.unreadable
        }
    }

    /// The bytes of a picture, from the session's cache where it has them.
    package func artwork(at url: URL) async throws -> Data {
        try await body(of: url)
    }

    func query(for term: String) throws(CatalogError) -> URL {
        var components = URLComponents(
            url: address.appending(path: "search"),
            resolvingAgainstBaseURL: true
        )
        components?.queryItems = [
            URLQueryItem(name: "media", value: "music"),
            URLQueryItem(name: "entity", value: "song"),
            URLQueryItem(name: "term", value: term),
        ]
        // URLComponents leaves "+" as it is, which servers take for a space.
        let encoded = components?.percentEncodedQuery?.replacing("+", with: "%2B")
        components?.percentEncodedQuery = encoded
        guard let url = components?.url else { throw .unreadable }
        return url
    }

    private func body(of url: URL) async throws -> Data {
        do {
            let (data, response) = try await session.data(from: url)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard status == 200 else { throw CatalogError.refused(status: status) }
            return data
        } catch let error as URLError {
            // The error alone does not tell whether it was this task that was cancelled.
            try Task.checkCancellation()
            throw CatalogError(error)
        }
    }
}

/// Why the catalog has no answer.
package enum CatalogError: Error, Hashable {
    /// This machine has no network.
    case offline
    /// The server answered with another status than 200.
    case refused(status: Int)
    /// What the server sent is no list of songs.
    case unreadable
    /// The server could not be asked; with the reason in words.
    case failed(String)

    package init(_ error: URLError) {
        switch error.code {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            self = .offline
        default:
            self = .failed(error.localizedDescription)
        }
    }
}
