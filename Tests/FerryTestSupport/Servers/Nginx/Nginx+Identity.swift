import FoundationEssentials

extension Nginx {
    /// The file of the authority that has signed its certificate; empty without one.
    package var authorityFile: String { authority?.file ?? "" }

    /// Makes a client's identity, signed by the authority of its own certificate.
    ///
    /// - Parameter name: Whose it is.
    /// - Returns: The identity.
    /// - Throws: ``TestAuthorityError`` when there is no authority.
    package func makeIdentity(_ name: String) async throws -> TLSIdentity {
        guard let authority else { throw TestAuthorityError(description: "There is no authority.") }
        let folder = URL(filePath: authority.file).deletingLastPathComponent()
        return try await TLSIdentity.make(name, in: folder, signedBy: "authority")
    }
}
