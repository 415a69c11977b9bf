import Foundation
import FoundationNetworking

/// The credentials of a session, which are in the configuration's `URLCredentialStorage`.
struct CredentialStore: Sendable {
    private let store: URLSessionConfiguration.Values.Store<URLCredentialStorage>

    init(configuration: URLSessionConfiguration.Values) {
        store = configuration.urlCredentialStorage
    }

    /// Whether there is none.
    var isEmpty: Bool { storage?.allCredentials.isEmpty ?? true }

    /// What a space is answered with where the app says nothing.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage, let known = storage.known(space) else { return nil }
        return storage.defaultCredential(for: known)
            ?? storage.credentials(for: known)?.values.first
    }

    /// Keeps a credential that the app wants to be kept.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.isKept, let storage else { return }
        storage.setDefaultCredential(credential, for: storage.known(space) ?? space)
    }

    private var storage: URLCredentialStorage? { store.credentials }
}
