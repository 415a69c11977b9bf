import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension TransferRequest {
    /// Creates the request that a client asks for.
    init(_ request: Wire.Request) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { HTTPField(name: $0.name, value: $0.value) },
            body: request.body.map { Array($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor,
            cookieAcceptance: CookieAcceptance(
                ignoresCookies: request.ignoresCookies,
                site: request.cookieSite
            )
        )
    }
}

extension TaskRecord {
    /// The address that the task was made with; everything that belongs to its session is meant for that origin alone.
    var ownURL: String? { Stored.request(request).map { $0.madeFor ?? $0.url } }

    /// Returns the request to send for the task.
    ///
    /// - Parameters:
    ///   - request: The task's request, or its replacement.
    ///   - fields: The session's fields; the request's own come first.
    /// - Returns: The request.
    func transferRequest(
        _ request: Wire.Request,
        adding fields: [Wire.Field]
    ) -> TransferRequest {
        self.request(request).adding(fields.map { HTTPField(name: $0.name, value: $0.value) })
    }

    /// Returns a request of the task, with the address that the task was made for.
    func request(_ request: Wire.Request) -> TransferRequest {
        var request = TransferRequest(request)
        request.madeFor = ownURL
        return request
    }
}

extension Wire.Request {
    /// Creates the message for a client about the request after redirects.
    init(_ request: TransferRequest) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { Wire.Field(name: $0.name, value: $0.value) },
            body: request.body.map { Data($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor,
            ignoresCookies: request.cookieAcceptance.ignoresCookies,
            cookieSite: request.cookieAcceptance.site
        )
    }
}
