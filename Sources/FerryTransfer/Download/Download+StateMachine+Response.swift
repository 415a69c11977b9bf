import FerryHTTP

// A download has one response: the one that its resource gave to the app's own request. How many requests Ferry
// has needed to complete the file, from which attempt, connection or mirror its bytes are, shows in metrics alone.

extension Download.StateMachine {
    /// The response to show where a part continues what the file holds.
    ///
    /// - Parameters:
    ///   - part: The head of the part.
    ///   - version: What the file holds, and the part is of.
    /// - Returns: What was shown for these bytes before; else the part's own where the app has made the download of
    ///   resume data (RD-7), and else what a request for the whole would have got.
    func shown(for part: HTTPResponseHead, of version: ResourceVersion) -> HTTPResponseHead {
        if let earlier = configuration.earlierResponse, earlier.isResponse(of: version) {
            return earlier
        }
        return configuration.announcesResumption ? part : part.ofWhole(version.totalByteCount)
    }
}

extension HTTPResponseHead {
    /// Whether this may be the response that brought the first bytes of a version.
    ///
    /// One that was stored is behind where a process died between the beginning of other bytes and its next commit.
    func isResponse(of version: ResourceVersion) -> Bool {
        let total: Int64?
        switch status {
        case 200: total = contentLength
        case 206: total = ContentRange(head: self)?.totalByteCount
        default: return false
        }
        guard total == nil || version.totalByteCount == nil || total == version.totalByteCount
        else { return false }
        let place = ResourceVersion(validator: nil, totalByteCount: nil, url: url)
        // Under another address the same bytes may have another validator.
        guard version.link == nil, (place.origin, place.path) == (version.origin, version.path)
        else { return true }
        return Validator(head: self) == version.validator
    }

    /// The response that a request for the whole would have got in place of this part (RFC 9110 §15.3.7).
    func ofWhole(_ byteCount: Int64?) -> HTTPResponseHead {
        var whole = self
        whole.status = 200
        whole.fields.removeAll { field in Self.partNames.contains { field.isNamed($0) } }
        if let byteCount {
            whole.fields.append(HTTPField(name: "Content-Length", value: String(byteCount)))
        }
        return whole
    }

    /// What a part's head says of the part.
    private static let partNames = [
        "Content-Range", "Content-Length", "Transfer-Encoding", "Content-Digest", "Content-MD5",
    ]
}
