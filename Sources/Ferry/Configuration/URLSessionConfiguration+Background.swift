extension URLSessionConfiguration {
    /// Whether the app is started again when the session's tasks are done and it is not running.
    ///
    /// Default: true. Applies to background sessions only. With false, the events wait until the app makes the
    /// session itself.
    public var sessionSendsLaunchEvents: Bool {
        get { self[\.sessionSendsLaunchEvents] }
        set { self[\.sessionSendsLaunchEvents] = newValue }
    }

    /// Whether the system may choose a good time for transfers.
    ///
    /// Default: false. On Linux without effect: the daemon starts transfers as soon as it can.
    public var isDiscretionary: Bool {
        get { self[\.isDiscretionary] }
        set { self[\.isDiscretionary] = newValue }
    }

    /// The container that an app shares with its extensions.
    ///
    /// Default: nil. On Linux without effect: programs of the same user can read each other's files.
    public var sharedContainerIdentifier: String? {
        get { self[\.sharedContainerIdentifier] }
        set { self[\.sharedContainerIdentifier] = newValue }
    }

    /// Whether connections stay open when the app goes to the background.
    ///
    /// Default: false. On Linux without effect: programs are not suspended when they lose the screen.
    public var shouldUseExtendedBackgroundIdleMode: Bool {
        get { self[\.shouldUseExtendedBackgroundIdleMode] }
        set { self[\.shouldUseExtendedBackgroundIdleMode] = newValue }
    }
}
