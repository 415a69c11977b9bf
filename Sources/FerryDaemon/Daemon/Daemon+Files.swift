import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Daemon {
    /// Does with the files of an earlier daemon what it has left undone.
    ///
    /// It deletes those that no task knows, and puts those of tasks that have ended where their
    /// resume data says, before anybody is told of it.
    func settleFiles() async {
        var sessions: Set<Int64> = []
        // There may be a file for each of a hundred thousand tasks that nobody has taken.
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
                // What was sent is not needed any more, nor what a file was while it was not complete.
                for task in ended where leftovers.tasksWithCompanions.contains(task.id) {
                    settle(task)
                }
                // A download that is complete keeps its file, and has not failed last.
                sessions.formUnion(ended.filter(\.hasFailed).map(\.sessionID))
            } catch {
                // Better a file too many than a download lost.
                log.write(.error, error.message)
            }
        }
        for session in sessions.sorted() { await keepFiles(of: session) }
    }

    private func settle(_ task: TaskStanding) {
        // What has failed may have left a file for resume data, which goes with its record.
        if task.hasFailed {
            files.uploads.discard(task: task.id)
        } else {
            files.discardCompanions(ofEnded: task.id)
        }
    }

    private func keepFiles(of session: Int64) async {
        let limit = 100
        var last: Int64 = 0
        while true {
            do throws(StoreError) {
                let page = try await store.events(session: session, after: last, limit: limit)
                for event in page {
                    last = event.sequence
                    guard let resumeData = Stored.event(event.payload)?.resumeData else { continue }
                    keepFile(of: event.taskID, for: resumeData)
                }
                if page.count < limit { return }
            } catch {
                return log.write(.error, error.message)
            }
        }
    }

    /// Puts a task's file where its resume data says.
    func keepFile(of task: Int64, for resumeData: Data) {
        // What an upload is continued from is at its server, and its file with the application.
        guard !UploadResumeData.isAround(resumeData) else { return files.discard(task: task) }
        do throws(TransferError) {
            try files.keep(task: task, for: resumeData)
        } catch {
            // The next daemon tries again.
            log.write(.error, "its resume data has no file: \(error.message)", task: task)
        }
    }
}
