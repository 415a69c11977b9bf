import Foundation
import FoundationNetworking

/// The credentials of a session, which are in the configuration's `URLCredentialStorage`.
struct CredentialStore: Sendable {
    private let store: URLSessionConfiguration.Values.Store<URLCredentialStorage>

    init(configuration: URLSessionConfiguration.Values) {
        store = configuration.urlCredentialStorage
    }

    /// Whether there are no credentials.
    var isEmpty: Bool { storage?.allCredentials.isEmpty ?? true }

    /// Returns the credential for a space that is used if the app does not answer.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage, let known = storage.known(space) else { return nil }
        return storage.defaultCredential(for: known)
            ?? storage.credentials(for: known)?.values.first
    }

    /// Stores a credential, unless its persistence is `.none`.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.isKept, let storage else { return }
        storage.setDefaultCredential(credential, for: storage.known(space) ?? space)
    }

    private var storage: URLCredentialStorage? { store.credentials }
}
