import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension Wire.Request {
    /// Creates a request in the form that is sent to the daemon.
    init(_ request: TransferRequest) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { Wire.Field($0) },
            body: request.body.map { Data($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor,
            ignoresCookies: request.cookieAcceptance.ignoresCookies,
            cookieSite: request.cookieAcceptance.site
        )
    }
}

extension TransferRequest {
    /// Creates a request as the daemon reports it.
    init(_ request: Wire.Request) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { HTTPField($0) },
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

extension URLRequest {
    /// Creates a request as the daemon reports it.
    init(_ request: Wire.Request) {
        self.init(TransferRequest(request))
    }

    /// Creates a request as the daemon passes it on.
    init(_ request: Encoded<Wire.Request>) { self.init(request.value ?? .unreadable) }
}

extension HTTPResponseHead {
    /// Creates a response head as the daemon reports it.
    init(_ response: Wire.Response) {
        self.init(
            status: response.status,
            version: response.version,
            fields: response.fields.map { HTTPField($0) },
            url: response.url
        )
        isDecoded = response.isDecoded ?? false
    }
}

extension Wire.Field {
    /// Creates a field in the form that is sent to the daemon.
    init(_ field: HTTPField) {
        self.init(name: field.name, value: field.value)
    }
}

extension HTTPField {
    /// Creates a field as the daemon reports it.
    init(_ field: Wire.Field) {
        self.init(name: field.name, value: field.value)
    }
}
