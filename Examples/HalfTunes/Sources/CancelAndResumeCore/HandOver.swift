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
}
