import Ferry
import Foundation

/// A client of a web service that talks JSON, as an app has one.
///
/// Written for Apple's URLSession; only an import is another.
actor HarbourClient {
    /// What can go wrong, in the app's own terms.
    enum Failure: Error, Equatable {
        case invalidURL
        case notSignedIn
        case notFound
        case rejected(status: Int)
        case serverFailed(status: Int)
        case unreadableAnswer
        case offline(URLError.Code)
    }

    /// A ship, as the service has it.
    struct Ship: Codable, Equatable, Sendable {
        var name: String
        var berth: Int?
        var arrivesAt: Date?
    }

    private struct Credentials: Codable {
        let token: String
    }

    private let baseURL: URL
    private let session: URLSession
    private var token: String?
    private var refreshTask: Task<String, any Error>?
    private(set) var refreshCount = 0

    init(baseURL: URL, session: URLSession = .shared, token: String? = nil) {
        self.baseURL = baseURL
        self.session = session
        self.token = token
    }

    // MARK: - Requests

    /// Gets something with query items.
    func get<Answer: Decodable & Sendable>(
        _ path: String,
        query: [URLQueryItem] = [],
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await send(try request(path, query: query))
    }

    /// Sends a value as JSON.
    func send<Value: Encodable, Answer: Decodable & Sendable>(
        _ value: Value,
        to path: String,
        method: String = "POST",
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        var request = try request(path)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        request.httpBody = try encoder.encode(value)
        return try await send(request)
    }

    /// Gets something that only those see who are signed in; signs in again when that has run out.
    func getAuthorized<Answer: Decodable & Sendable>(
        _ path: String,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        do {
            return try await send(try request(path, token: token))
        } catch Failure.notSignedIn {
            let token = try await refreshedToken()
            return try await send(try request(path, token: token))
        }
    }

    /// Gets raw data with a completion handler, for callers without concurrency.
    @discardableResult
    nonisolated func load(
        _ path: String,
        completionHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) -> URLSessionDataTask? {
        guard let request = try? request(path) else {
            completionHandler(.failure(Failure.invalidURL))
            return nil
        }
        let task = session.dataTask(with: request) { data, response, error in
            if let error {
                completionHandler(.failure(Self.failure(for: error)))
                return
            }
            guard let response = response as? HTTPURLResponse, let data else {
                completionHandler(.failure(Failure.unreadableAnswer))
                return
            }
            completionHandler(Result { try Self.checked(data, response) })
        }
        task.resume()
        return task
    }

    // MARK: - Parts

    private nonisolated func request(
        _ path: String,
        query: [URLQueryItem] = [],
        token: String? = nil
    ) throws -> URLRequest {
        guard
            var components = URLComponents(
                url: baseURL.appendingPathComponent(path),
                resolvingAgainstBaseURL: false
            )
        else { throw Failure.invalidURL }
        if !query.isEmpty { components.queryItems = query }
        guard let url = components.url else { throw Failure.invalidURL }
        var request = URLRequest(url: url)
        request.timeoutInterval = 15
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }

    private func send<Answer: Decodable>(_ request: URLRequest) async throws -> Answer {
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await session.data(for: request)
        } catch {
            throw Self.failure(for: error)
        }
        guard let response = response as? HTTPURLResponse else { throw Failure.unreadableAnswer }
        let body = try Self.checked(data, response)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(Answer.self, from: body)
        } catch {
            throw Failure.unreadableAnswer
        }
    }

    private static func checked(_ data: Data, _ response: HTTPURLResponse) throws -> Data {
        switch response.statusCode {
        case 200..<300: return data
        case 401: throw Failure.notSignedIn
        case 404: throw Failure.notFound
        case 500...: throw Failure.serverFailed(status: response.statusCode)
        default: throw Failure.rejected(status: response.statusCode)
        }
    }

    private static func failure(for error: any Error) -> any Error {
        guard let error = error as? URLError, error.code != .cancelled else { return error }
        return Failure.offline(error.code)
    }

    /// Signs in once, however many requests have found that they need it.
    private func refreshedToken() async throws -> String {
        if let refreshTask { return try await refreshTask.value }
        let task = Task { try await signIn() }
        refreshTask = task
        defer { refreshTask = nil }
        let token = try await task.value
        self.token = token
        return token
    }

    private func signIn() async throws -> String {
        struct Answer: Decodable {
            let json: Credentials
        }
        refreshCount += 1
        let credentials = Credentials(token: "fresh-\(refreshCount)")
        var request = try request("anything/sign-in")
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(credentials)
        let answer: Answer = try await send(request)
        return answer.json.token
    }
}
