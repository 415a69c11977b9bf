package import FerryTransfer
import FoundationEssentials

extension Wire.Request {
    /// What stands for a request that cannot be read.
    package static let unreadable = Wire.Request(url: "", method: "", fields: [], idleTimeout: 0)

    /// Creates the message about a request.
    package init(_ request: TransferRequest) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields,
            body: request.body.map { Data($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor,
            ignoresCookies: request.cookieAcceptance.ignoresCookies,
            cookieSite: request.cookieAcceptance.site
        )
    }
}

extension TransferRequest {
    /// Creates the request that a message is about.
    package init(_ request: Wire.Request) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields,
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
