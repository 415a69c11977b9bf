package import FerryTransfer
import FoundationEssentials

extension Wire.Cookie {
    /// Creates the message about a cookie.
    package init(_ cookie: Cookie) {
        self.init(
            name: cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            isForHostOnly: cookie.isForHostOnly,
            path: cookie.path,
            expiry: cookie.expiryDate,
            isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            created: cookie.creationDate
        )
    }
}

extension Cookie {
    /// Creates the cookie that a message is about.
    package init(_ cookie: Wire.Cookie) {
        self.init(
            name: cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            isForHostOnly: cookie.isForHostOnly,
            path: cookie.path,
            expiryDate: cookie.expiry,
            isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            creationDate: cookie.created
        )
    }
}
