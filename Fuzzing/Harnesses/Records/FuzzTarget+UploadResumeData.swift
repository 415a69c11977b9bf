import FoundationEssentials

@testable import FerrySystem
@testable import FerryTransfer

extension FuzzTarget {
    /// Resume data of an upload is read or refused, and what is read can be gone on with.
    static let uploadResumeData = FuzzTarget("upload-resume-data", upTo: 768) {
        input throws(Finding) in
        var input = input
        let isWhole = input.takeNumber() % 8 == 0
        let envelope = ResumeDataEnvelope(magic: "FerryUD", version: 1)
        let blob = isWhole ? input.rest : envelope.wrap(input.rest)
        guard let data = try? UploadResumeData(decoding: blob) else { return }
        guard let written = try? data.encoded() else {
            throw Finding(description: "\(data) cannot be written")
        }
        try expectSame(try? UploadResumeData(decoding: written), data, "what is written and read")
        try checkContinuation(data)
    }

    /// The server has what it has said, and gets the rest in parts that end.
    private static func checkContinuation(_ data: UploadResumeData) throws(Finding) {
        guard Origin(url: data.resource.url)?.scheme == "https" else { return }
        let byteCount: Int64? =
            switch data.content {
            case .file(_, let identity, _): identity.size
            case .bytes: data.request.body.map { Int64($0.count) }
            case .stream: nil
            }
        var dialog = UploadDialog(
            data.request,
            byteCount: byteCount,
            resource: data.resource,
            configuration: ResumableUpload.Configuration()
        )
        try dialog.start()
        let offset = "Upload-Offset: \(data.resource.acknowledgedByteCount)"
        for status in ["200", "204"] {
            try dialog.hear([status, offset, "Tus-Resumable: 1.0.0"])
        }
        try dialog.end()
    }
}
