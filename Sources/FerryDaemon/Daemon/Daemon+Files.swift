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
        for id in files.tasks() {
            do {
                guard let task = try await store.task(id: id) else {
                    files.discard(task: id)
                    continue
                }
                // A download that is complete keeps its file, and has not failed last.
                if task.state == .completed, task.lastError != nil {
                    sessions.insert(task.sessionID)
                }
            } catch {
                // Better a file too many than a download lost.
                log.write(.error, error.message, task: id)
            }
        }
        for session in sessions.sorted() { await keepFiles(of: session) }
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
        do throws(TransferError) {
            try files.keep(task: task, for: resumeData)
        } catch {
            // The next daemon tries again.
            log.write(.error, "its resume data has no file: \(error.message)", task: task)
        }
    }
}
