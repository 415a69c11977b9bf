import FerryHTTP

extension HTTPClient.Configuration {
    /// The same with what the files of trusted authorities say now; it may block.
    ///
    /// libcurl would read them by the loop, at every new connection, and they may lie on a disk that does not answer.
    /// What cannot be read is left to libcurl: then requests that need it fail, and no others.
    func readingAuthorities() -> Self {
        let authorities = try? CertificateFiles.authorities(
            file: certificateAuthorityFile,
            directory: certificateAuthorityDirectory
        )
        guard let authorities, !authorities.certificates.isEmpty else { return self }
        var copy = self
        copy.certificateAuthorities = authorities
        return copy
    }
}
