import Foundation
import FoundationNetworking

/// The credentials of a session, which are in the configuration's `URLCredentialStorage`.
///
/// Foundation's storage on Linux finds a credential by the object alone that it was stored for: another protection
/// space with the same values is another one to it. So it is asked for all there are.
struct CredentialStore: Sendable {
    private let store: URLSessionConfiguration.Values.Store<URLCredentialStorage>

    init(configuration: URLSessionConfiguration.Values) {
        store = configuration.urlCredentialStorage
    }

    /// Whether there is none.
    var isEmpty: Bool { storage?.allCredentials.isEmpty ?? true }

    /// What a space is answered with where the app says nothing.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage, let known = known(space, in: storage) else { return nil }
        return storage.defaultCredential(for: known)
            ?? storage.credentials(for: known)?.values.first
    }

    /// Keeps a credential that the app wants to be kept.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.isKept, let storage else { return }
        storage.setDefaultCredential(credential, for: known(space, in: storage) ?? space)
    }

    private func known(
        _ space: URLProtectionSpace,
        in storage: URLCredentialStorage
    ) -> URLProtectionSpace? {
        storage.allCredentials.keys.first { $0.isSame(as: space) }
    }

    private var storage: URLCredentialStorage? { store.credentials }
}

extension URLProtectionSpace {
    fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
        host == other.host && port == other.port && `protocol` == other.`protocol`
            && realm == other.realm && authenticationMethod == other.authenticationMethod
            && isProxy() == other.isProxy()
    }
}
