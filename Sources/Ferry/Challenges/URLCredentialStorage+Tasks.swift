public import FoundationNetworking

extension URLCredentialStorage {
    /// Looks up the credentials of a protection space, for a task.
    ///
    /// - Parameters:
    ///   - protectionSpace: The space; one with the same values as that which was stored is the same.
    ///   - task: The task; without effect.
    ///   - completionHandler: Called at once, with the credentials by their users' names, or nil where there are none.
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
    ///   - credential: What to store; without effect for one whose persistence is `.none`.
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
    ///   - credential: What to remove.
    ///   - protectionSpace: The space.
    ///   - options: What else is to be done: `NSURLCredentialStorageRemoveSynchronizableCredentials`.
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
    ///   - space: The space; one with the same values as that which was stored is the same.
    ///   - task: The task; without effect.
    ///   - completionHandler: Called at once, with the credential, or nil where there is none.
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
    ///   - credential: What to store; without effect for one whose persistence is `.none`.
    ///   - protectionSpace: The space.
    ///   - task: The task; without effect.
    public func setDefaultCredential(
        _ credential: URLCredential,
        for protectionSpace: URLProtectionSpace,
        task: URLSessionTask
    ) {
        setDefaultCredential(credential, for: known(protectionSpace) ?? protectionSpace)
    }

    /// The space with the same values for which something is stored.
    ///
    /// Foundation's storage finds a credential by the object alone that it was stored for: another protection space
    /// with the same values is another one to it.
    func known(_ space: URLProtectionSpace) -> URLProtectionSpace? {
        let same = allCredentials.keys.filter { $0.isSame(as: space) }
        return same.first { $0.realm == space.realm } ?? same.first
    }
}

extension URLProtectionSpace {
    /// Whether it stands for the same as another one.
    ///
    /// A server that names no realm has one of its host's name to those who store a credential for it.
    fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
        host == other.host && port == other.port && `protocol` == other.`protocol`
            && (realm ?? host) == (other.realm ?? other.host)
            && authenticationMethod == other.authenticationMethod && isProxy() == other.isProxy()
    }
}
