import FerrySystem

@testable import FerryHTTP
@testable import FerryTransfer

/// An upload and the server that it talks to, which may say anything.
struct UploadDialog {
    private var upload: ResumableUpload.StateMachine
    private let byteCount: Int64?
    /// The request that is out.
    private var dispatch: ResumableUpload.Dispatch?
    private var hasFinished = false
    private var random = SystemRandomNumberGenerator()
    private let now = ResumableUpload.Moment(
        instant: .now,
        date: HTTPDate(secondsSince1970: 1_000_000_000)
    )

    /// No file is longer than this; and nobody has sent as much of what has no known end.
    private static let greatestByteCount: Int64 = 1 << 62

    /// Prepares an upload.
    init(
        _ request: TransferRequest,
        byteCount: Int64?,
        isRepeatable: Bool = true,
        resource: UploadResource?,
        configuration: ResumableUpload.Configuration
    ) {
        self.byteCount = byteCount
        upload = ResumableUpload.StateMachine(
            request: request,
            byteCount: byteCount,
            isRepeatable: isRepeatable,
            resource: resource,
            configuration: configuration
        )
    }

    /// Begins.
    mutating func start() throws(Finding) {
        upload.start()
        try perform()
    }

    /// Something happens: bytes leave (`sent 10`), the connection is cut (`cut`), or a response comes (its
    /// status, then its fields).
    mutating func hear(_ lines: [String]) throws(Finding) {
        guard let first = lines.first else { return }
        if first.hasPrefix("sent ") {
            guard let count = Int64(first.dropFirst(5)), count >= 0 else { return }
            upload.sent(byteCount: min(count, greatestSentByteCount))
            try perform()
        } else if first == "cut" {
            let error = TransferError(code: .connectionLost, message: "")
            upload.loadFinished(error, at: now, using: &random)
            try perform()
        } else if let status = Int(first), (100...999).contains(status) {
            try respond(status, lines.dropFirst().compactMap { HTTPField(line: $0) })
        }
    }

    /// The app's body is lost, with which every upload ends.
    mutating func end() throws(Finding) {
        let error = TransferError(code: .fileChanged, message: "")
        upload.sourceFailed(error)
        try perform()
        try expect(upload.hasEnded && hasFinished, "it has not ended")
    }

    private var greatestSentByteCount: Int64 {
        switch dispatch?.body {
        case nil, .some(.none): 0
        case .whole: byteCount ?? Self.greatestByteCount
        case .part(let part):
            part.byteCount ?? max(0, Self.greatestByteCount - part.start)
        }
    }

    private mutating func respond(_ status: Int, _ fields: [HTTPField]) throws(Finding) {
        guard let request = dispatch?.request else { return }
        let head = HTTPResponseHead(status: status, fields: fields, url: request.url)
        if status < 200 {
            upload.informational(head)
        } else {
            upload.receivedHead(head, to: request, at: now)
        }
        try perform()
    }

    /// Performs what follows an input, and what does not depend on the server then.
    private mutating func perform() throws(Finding) {
        guard upload.effects.begin() else { return }
        while let effect = upload.effects.next() {
            try expect(!hasFinished, "\(effect) comes after the end")
            switch effect {
            case .send(let dispatch):
                try check(dispatch)
                self.dispatch = dispatch
            case .report(let resource):
                if let resource { try check(resource) }
            case .reportSent(let count):
                try expect((0...(byteCount ?? .max)).contains(count), "\(count) bytes were sent")
            case .wait(let delay):
                try expect(delay >= .zero, "the delay is \(delay)")
                upload.waited()
            case .skipBody, .abandonLoad, .answer:
                upload.loadFinished(nil, at: now, using: &random)
            case .digest:
                upload.digested("aGFzaA==")
            case .finish:
                hasFinished = true
            case .cancelLoad, .stopWaiting, .remember, .terminate, .release:
                break
            }
        }
    }

    private func check(_ dispatch: ResumableUpload.Dispatch) throws(Finding) {
        let request = dispatch.request
        try expectSame(Origin(url: request.url)?.scheme, "https", "the scheme of \(request.url)")
        // What the app itself wants to send is looked at when it is sent.
        for field in request.fields where !upload.request.fields.contains(field) {
            let isLine = field.value.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
            try expect(isLine, "\(field) is no line")
        }
        guard case .part(let part) = dispatch.body else { return }
        try expect((0...(byteCount ?? .max)).contains(part.start), "a part from \(part.start) on")
        try expectSame(part.isLast, part.end == byteCount, "\(part) is the last one")
        guard let end = part.end else { return }
        try expect((part.start...(byteCount ?? .max)).contains(end), "\(part)")
        try expect(part.isLast || end > part.start, "\(part) is empty")
    }

    private func check(_ resource: UploadResource) throws(Finding) {
        let count = resource.acknowledgedByteCount
        try expect((0...(byteCount ?? .max)).contains(count), "\(count) bytes are there")
        let data = UploadResumeData(request: upload.request, resource: resource, content: .stream)
        guard let blob = try? data.encoded() else {
            throw Finding(description: "\(data) cannot be written")
        }
        try expectSame(try? UploadResumeData(decoding: blob), data, "what is written")
    }
}
