package import FerryHTTP

extension StoredResponse {
    /// Makes the stored form of a response, or `nil` where it may not be stored (RFC 9111 §3).
    ///
    /// This is a private cache: neither `private` nor a login prevents storing.
    package init?(
        answering request: TransferRequest,
        with head: HTTPResponseHead,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) {
        let control = CacheControl(fields: head.fields)
        guard request.method == "GET", Self.isStored(status: head.status),
            // Parts of bodies are not stored, nor is the range that one would have to be stored with.
            head.fields.first(named: "Content-Range") == nil,
            !CacheControl(fields: request.fields).isNoStore, !control.isNoStore,
            Self.permitsStoring(head, control),
            let selectingFields = SelectingFields(head: head, requestFields: request.fields)
        else { return nil }
        var stored = head
        let hopNames = Self.hopNames(of: head)
        stored.fields.removeAll { field in hopNames.contains { field.isNamed($0) } }
        self.init(
            head: stored,
            selectingFields: selectingFields,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    /// Apple's library asks its delegate only about responses with 2xx, and stores no others; RFC 9111 would
    /// also allow some redirects and errors.
    private static func isStored(status: Int) -> Bool {
        (200...299).contains(status) && status != 206
    }

    /// Whether the server or the status code permits storing.
    ///
    /// `must-understand` also permits ignoring a `no-store` beside it (§5.2.2.3); storing less is never wrong.
    private static func permitsStoring(_ head: HTTPResponseHead, _ control: CacheControl) -> Bool {
        if control.isMustUnderstand, !head.isHeuristicallyCacheable { return false }
        return head.isHeuristicallyCacheable || control.isExplicitlyCacheable
            || control.maxAge != nil || head.fields.first(named: "Expires") != nil
    }

    /// Returns the names of the fields that describe a connection or a proxy (§3.1).
    static func hopNames(of head: HTTPResponseHead) -> [String] {
        let listed = head.fields.values(named: "Connection").flatMap(\.listElements)
        return listed + [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
            "Proxy-Authorization", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
        ]
    }
}

extension HTTPResponseHead {
    /// Whether a response with this status may be reused without the server saying so
    /// (RFC 9110 §15.1).
    var isHeuristicallyCacheable: Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}
