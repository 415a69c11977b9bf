public import FoundationNetworking

extension URLCredentialStorage {
    /// Looks up the credentials of a protection space, for a task.
    ///
    /// - Parameters:
    ///   - protectionSpace: The space; one with the same values as the stored space is the same.
    ///   - task: The task; without effect.
    ///   - completionHandler: Called at once, with the credentials by user name, or nil if there are none.
    public func getCredentials(
        for protectionSpace: URLProtectionSpace,
        task: URLSessionTask,
        completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
    ) {
        completionHandler(known(protectionSpace).flatMap { credentials(for: $0) })
    }

    /// Stores a credential for a protection space, for a task.
    ///
    /// - Parameters:
    ///   - credential: The credential; without effect if its persistence is `.none`.
    ///   - protectionSpace: The space.
    ///   - task: The task; without effect.
    public func set(
        _ credential: URLCredential,
        for protectionSpace: URLProtectionSpace,
        task: URLSessionTask
    ) {
        set(credential, for: known(protectionSpace) ?? protectionSpace)
    }

    /// Removes a credential of a protection space, for a task.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - protectionSpace: The space.
    ///   - options: Further options: `NSURLCredentialStorageRemoveSynchronizableCredentials`.
    ///   - task: The task; without effect.
    public func remove(
        _ credential: URLCredential,
        for protectionSpace: URLProtectionSpace,
        options: [String: AnyObject]? = [:],
        task: URLSessionTask
    ) {
        remove(credential, for: known(protectionSpace) ?? protectionSpace, options: options)
    }

    /// Looks up the default credential of a protection space, for a task.
    ///
    /// - Parameters:
    ///   - space: The space; one with the same values as the stored space is the same.
    ///   - task: The task; without effect.
    ///   - completionHandler: Called at once, with the credential, or nil if there is none.
    public func getDefaultCredential(
        for space: URLProtectionSpace,
        task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLCredential?) -> Void
    ) {
        completionHandler(known(space).flatMap { defaultCredential(for: $0) })
    }

    /// Stores a credential as the default of a protection space, for a task.
    ///
    /// - Parameters:
    ///   - credential: The credential; without effect if its persistence is `.none`.
    ///   - protectionSpace: The space.
    ///   - task: The task; without effect.
    public func setDefaultCredential(
        _ credential: URLCredential,
        for protectionSpace: URLProtectionSpace,
        task: URLSessionTask
    ) {
        setDefaultCredential(credential, for: known(protectionSpace) ?? protectionSpace)
    }

    /// Returns the stored space with the same values.
    ///
    /// Foundation's storage finds a credential only by the object that it was stored for: another protection space
    /// with the same values is a different one.
    func known(_ space: URLProtectionSpace) -> URLProtectionSpace? {
        let same = allCredentials.keys.filter { $0.isSame(as: space) }
        return same.first { $0.realm == space.realm } ?? same.first
    }
}

extension URLProtectionSpace {
    /// Returns whether two spaces stand for the same.
    ///
    /// An app that stores a credential for a server without a realm uses the host's name as the realm.
    fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
        host == other.host && port == other.port && `protocol` == other.`protocol`
            && (realm ?? host) == (other.realm ?? other.host)
            && authenticationMethod == other.authenticationMethod && isProxy() == other.isProxy()
    }
}
