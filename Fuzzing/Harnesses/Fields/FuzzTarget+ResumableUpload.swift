@testable import FerryTransfer

extension FuzzTarget {
    /// Whatever a server answers, an upload sends what is there to be sent, and comes to an end.
    static let resumableUpload = FuzzTarget("resumable-upload", upTo: 512) {
        input throws(Finding) in
        var input = input
        var dialog = uploadDialog(&input)
        try dialog.start()
        for event in input.paragraphs { try dialog.hear(event) }
        try dialog.end()
    }

    private static func uploadDialog(_ input: inout FuzzInput) -> UploadDialog {
        let byteCounts: [Int64?] = [nil, 0, 1, 1000, 100 << 20, .max]
        let byteCount = byteCounts[Int(input.takeNumber()) % byteCounts.count]
        let languages = [nil] + UploadProtocol.allCases
        let resource = languages[Int(input.takeNumber()) % languages.count].map { language in
            UploadResource(
                url: "https://example.com/uploads/1",
                language: language,
                tus: language == .tus ? TusCapabilities(checksum: .sha1) : nil
            )
        }
        let choices = input.takeNumber()
        let protocols: [ResumableUpload.Protocols] = [.automatic, .drafts, .tus, .off]
        return UploadDialog(
            TransferRequest(
                url: "https://example.com/in",
                method: choices & 4 == 0 ? "POST" : "PUT"
            ),
            byteCount: byteCount,
            isRepeatable: choices & 8 == 0,
            resource: resource,
            configuration: ResumableUpload.Configuration(
                protocols: protocols[Int(choices & 3)],
                interruptions: choices & 16 == 0
                    ? .proceed(RetryPolicy(), timeout: nil) : .isFailure,
                unavailableResponses: choices & 32 == 0 ? .deliver : .fail
            )
        )
    }
}
