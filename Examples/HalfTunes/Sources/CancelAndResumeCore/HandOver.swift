import Ferry

extension PictureDownloads {
    /// Hands what this process downloads to ferryd, which goes on where it is; for a process that has to end.
    ///
    /// A later launch finds the downloads again, and ferryd starts one when they are done.
    package func handOver() async {
        for download in downloads where !download.isHandedOver {
            guard case .running(let task) = download.state else { continue }
            let resumeData = await stop(task, of: download)
            let next =
                resumeData.map { background.downloadTask(withResumeData: $0) }
                ?? background.downloadTask(with: download.picture.url)
            download.isHandedOver = true
            run(next, for: download)
        }
        // What ferryd has acknowledged does not need this process any more.
        await background.flush()
    }

    /// Has the process go on for a while when it is asked to end while it downloads, and hand over what is
    /// not there by then.
    func guardDownloads() {
        let isBusy = downloads.contains { !$0.isHandedOver && $0.isBusy }
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
