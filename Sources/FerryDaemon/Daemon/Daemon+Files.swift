import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Daemon {
    /// Completes the work on files that an earlier daemon has left undone.
    ///
    /// Files without a task are deleted. Files of tasks that have ended are moved to the path in their resume data,
    /// before any client receives it.
    func settleFiles() async {
        var sessions: Set<SessionID> = []
        // A hundred thousand tasks may each have a file that no application has taken.
        let pageSize = 4096
        let leftovers = files.findLeftovers()
        var left = leftovers.tasks.sorted()[...]
        while !left.isEmpty {
            let page = Array(left.prefix(pageSize))
            left = left.dropFirst(pageSize)
            do {
                let standings = try await store.standings(ofTasks: page)
                let known = Set(standings.map(\.id))
                for task in page where !known.contains(task) { files.discard(task: task) }
                let ended = standings.filter { $0.state == .completed }
                // The files that were sent, and the companions of incomplete files, are no longer needed.
                for task in ended where leftovers.tasksWithCompanions.contains(task.id) {
                    settle(task)
                }
                // A complete download keeps its file, and its last attempt has not failed.
                sessions.formUnion(ended.filter(\.hasFailed).map(\.sessionID))
            } catch {
                // Better a file too many than a download lost.
                log.write(.error, error.message)
            }
        }
        for session in sessions.sorted() { await keepFiles(of: session) }
    }

    private func settle(_ task: TaskStanding) {
        // A failed task may have left a file for resume data, which is moved together with its record.
        if task.hasFailed {
            files.uploads.discard(task: task.id)
        } else {
            files.discardCompanions(ofEnded: task.id)
        }
    }

    private func keepFiles(of session: SessionID) async {
        let limit = 100
        var last: Int64 = 0
        while true {
            do throws(StoreError) {
                let page = try await store.events(session: session, after: last, limit: limit)
                for event in page {
                    last = event.sequence
                    guard let resumeData = event.event.value?.resumeData else { continue }
                    keepFile(of: event.taskID, for: resumeData)
                }
                if page.count < limit { return }
            } catch {
                return log.write(.error, error.message)
            }
        }
    }

    /// Moves a task's file to the path in its resume data.
    func keepFile(of task: TaskID, for resumeData: Data) {
        // The state of a resumable upload is on its server, and its file belongs to the application.
        guard !UploadResumeData.isAround(resumeData) else { return files.discard(task: task) }
        do throws(TransferError) {
            try files.keep(task: task, for: resumeData)
        } catch {
            // The next daemon tries again.
            log.write(.error, "its resume data has no file: \(error.message)", task: task)
        }
    }
}
