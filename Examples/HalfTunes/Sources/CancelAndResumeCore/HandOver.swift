import Ferry
import Foundation

extension PictureDownloads {
    /// Hands what this process downloads to ferryd, which goes on where it is; for a process that has to end.
    ///
    /// A later launch finds the downloads again, and ferryd starts one when they are done.
    package func handOver() async {
        // Whoever comes while it is under way waits for the same.
        let handingOver =
            self.handingOver
            ?? Task {
                await handOverAll()
                self.handingOver = nil
                guardDownloads()
            }
        self.handingOver = handingOver
        await handingOver.value
    }

    private func handOverAll() async {
        var handedOver: [PictureDownload] = []
        for download in downloads where !download.isHandedOver {
            switch download.state {
            case .running(let task):
                if await handOver(task, of: download) { handedOver.append(download) }
            case .stopping(let stop):
                // A person has cancelled it, and finds it so.
                await stop.value
            case .idle, .stopped:
                break
            }
        }
        // What ferryd has acknowledged does not need this process any more.
        await background.flush()
        for download in handedOver { forgetStopped(download) }
    }

    /// Hands over one; what it takes to resume it stays on the disk until ferryd has it.
    ///
    /// - Returns: Whether there was something left to hand over.
    private func handOver(
        _ task: URLSessionDownloadTask,
        of download: PictureDownload
    ) async -> Bool {
        await stop(task, of: download).value
        // One that has completed just then is on its way to the pictures.
        guard (task.error as? URLError)?.code == .cancelled else { return false }
        let next =
            if case .stopped(let resumeData) = download.state {
                background.downloadTask(withResumeData: resumeData)
            } else {
                background.downloadTask(with: download.picture.url)
            }
        download.isHandedOver = true
        run(next, for: download)
        return true
    }

    /// Has the process go on for a while when it is asked to end while it downloads, and hand over what is
    /// not there by then.
    func guardDownloads() {
        let isBusy =
            handingOver != nil || downloads.contains { !$0.isHandedOver && $0.isBusy }
        if isBusy, backgroundTask == .invalid {
            let name = "Downloading pictures"
            backgroundTask = Application.shared.beginBackgroundTask(withName: name) { [weak self] in
                // The task ends when nothing is left to this process.
                Task { await self?.handOver() }
            }
        } else if !isBusy {
            Application.shared.endBackgroundTask(backgroundTask)
            backgroundTask = .invalid
        }
    }
}
