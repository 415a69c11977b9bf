import FerryHTTP
import FerrySystem

/// The one response of a download: the one to the app's request.
///
/// How many requests completed the file, and which attempt, connection or mirror its bytes came from, is only in
/// the metrics.
struct ShownResponse {
    /// The response, once it has been reported.
    private(set) var head: HTTPResponseHead?
    private let configuration: Download.Configuration
    private var announcesResumption: Bool
    /// The response to show once the bytes of its body have proved to continue the file.
    private var pending: HTTPResponseHead?

    init(_ configuration: Download.Configuration) {
        self.configuration = configuration
        announcesResumption = configuration.announcesResumption
    }

    /// Returns the response to show when a part continues the file: the one that was shown for these bytes
    /// before; otherwise its own if it is the whole or the app made the download from resume data (RD-7), or else the
    /// one that a request for the whole would have received.
    func shown(for part: HTTPResponseHead, of version: ResourceVersion) -> HTTPResponseHead {
        if let earlier = configuration.earlierResponse, earlier.isResponse(of: version) {
            return earlier
        }
        return configuration.announcesResumption || part.status == 200
            ? part : part.ofWhole(version.totalByteCount)
    }

    /// Reports the response, unless it only continues the one that was reported, or is still to be proved.
    mutating func show(
        _ head: HTTPResponseHead,
        of body: Download.Body,
        resumedAt offset: Int64,
        isProved: Bool,
        into effects: inout Download.StateMachine.Effects
    ) {
        pending = isProved ? nil : head
        guard isProved, offset == 0 || self.head == nil else { return }
        self.head = head
        effects.add(.reportResponse(head, body.request.transfer))
        guard offset > 0 || announcesResumption else { return }
        announcesResumption = false
        effects.add(.reportResumption(offset: offset, total: body.totalByteCount))
    }

    /// Reports the response whose bytes have proved to continue the file.
    mutating func showPending(
        of body: Download.Body,
        into effects: inout Download.StateMachine.Effects
    ) {
        guard let pending else { return }
        show(pending, of: body, resumedAt: body.byteCount, isProved: true, into: &effects)
    }
}

extension HTTPResponseHead {
    /// Whether this may be the response that delivered the first bytes of a version.
    ///
    /// A stored response is outdated if a process died after other bytes had begun and before its next commit.
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
        return version.isOf(Validator(head: self))
    }

    /// Returns the response that a request for the whole would have received (RFC 9110 §15.3.7).
    func ofWhole(_ byteCount: Int64?) -> HTTPResponseHead {
        var whole = self
        whole.status = 200
        whole.fields.removeAll { field in Self.partNames.contains { field.isNamed($0) } }
        if let byteCount {
            whole.fields.append(HTTPField(name: "Content-Length", value: String(byteCount)))
        }
        return whole
    }

    /// The fields that describe the part.
    private static let partNames = [
        "Content-Range", "Content-Length", "Transfer-Encoding", "Content-Digest", "Content-MD5",
    ]
}
