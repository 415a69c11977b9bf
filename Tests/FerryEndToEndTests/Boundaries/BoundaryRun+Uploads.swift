import FerryTestSupport

/// What has to hold for uploads, whatever has happened.
extension BoundaryRun {
    /// Each has arrived as it is, and the app has the answer.
    func judgeUploads(_ outcome: inout BoundaryOutcome) {
        for upload in script.uploads {
            let number = task(upload.name)
            let end = events.lines.first { $0.hasPrefix("completed \(number) ") }
            let answers = events.lines.filter { $0.hasPrefix("data \(number) ") }
            let isOK = end == "completed \(number) ok"
            if isOK, answers != ["data \(number) \(upload.status) \(BoundaryScript.thanks)"] {
                outcome.faults.append("the answer to \(upload.name) is \(answers)")
            }
            outcome.faults +=
                isResumable(upload)
                ? faultsOfResumed(upload, isOK: isOK) : faultsOfSent(upload, isOK: isOK)
        }
    }

    /// Whether a task has the error of an upload whose server has everything, and does not say again what
    /// it has answered.
    ///
    /// A ferryd that dies between the answer and its own commit learns no more than that.
    func isAnswerLost(_ task: String, _ code: some StringProtocol) -> Bool {
        guard target != nil, task == "completed \(self.task(BoundaryScript.resumable))",
            code == "-1005",
            let upload = script.uploads.first(where: isResumable)
        else { return false }
        return uploadServer.completeContents(of: upload.path).count == 1
    }

    /// It was continued as the draft says, and is there once.
    private func faultsOfResumed(_ upload: BoundaryScript.Item, isOK: Bool) -> [String] {
        var faults = uploadServer.violations
        let bodies = uploadServer.completeContents(of: upload.path)
        let count = bodies.count
        if count > 1 || isOK && count == 0 {
            faults.append("\(upload.name) has arrived \(count) times")
        }
        if bodies.contains(where: { upload.content.firstDifference(from: $0) != nil }) {
            faults.append("\(upload.name) has arrived with wrong bytes")
        }
        // A kill may come before ferryd knows where it can go on, or before it has written that down.
        let creations = uploadServer.requests.count { $0.method == "PUT" }
        if creations > (target == nil ? 1 : 2) {
            faults.append("\(upload.name) was begun \(creations) times")
        }
        if isOK, let known = requestCounts[task(upload.name)],
            uploadServer.requests.count > known.uploadServer
        {
            faults.append("\(upload.name) was sent after its end")
        }
        return faults
    }

    /// A server that continues nothing gets all of it again after a kill.
    private func faultsOfSent(_ upload: BoundaryScript.Item, isOK: Bool) -> [String] {
        var faults: [String] = []
        let requests = server.requests(to: upload.path).filter { $0.method == "PUT" }
        if requests.isEmpty && isOK || requests.count > (target == nil ? 1 : 2) {
            faults.append("\(upload.name) has arrived \(requests.count) times")
        }
        if requests.contains(where: { upload.content.firstDifference(from: $0.body) != nil }) {
            faults.append("\(upload.name) has arrived with wrong bytes")
        }
        if isOK, let known = requestCounts[task(upload.name)],
            requests.contains(where: { $0.index >= known.server })
        {
            faults.append("\(upload.name) was sent after its end")
        }
        return faults
    }
}
