import Ferry

extension Application {
    /// The `ferry` command as ferryd knows it, and starts it for finished files.
    static var ferry: Application {
        shared.identifier = DownloadSession.application
        shared.relaunch?.arguments = [BackgroundEventsCommand.syntax.name]
        shared.relaunch?.workingDirectory = "/"
        return shared
    }
}
