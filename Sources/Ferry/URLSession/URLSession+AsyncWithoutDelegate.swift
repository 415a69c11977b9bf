public import Foundation
public import FoundationNetworking

// An app's protocol that URLSession is to satisfy may require these methods without the delegate. A method with a
// default argument does not satisfy such a requirement.
extension URLSession {
    /// Loads the contents of a request's URL.
    ///
    /// See ``data(for:delegate:)``.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, delegate: nil)
    }

    /// Loads the contents of a URL.
    ///
    /// See ``data(from:delegate:)``.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await data(from: url, delegate: nil)
    }

    /// Sends a file.
    ///
    /// See ``upload(for:fromFile:delegate:)``.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL, delegate: nil)
    }

    /// Sends bytes.
    ///
    /// See ``upload(for:from:delegate:)``.
    public func upload(
        for request: URLRequest,
        from bodyData: Data
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData, delegate: nil)
    }

    /// Downloads the contents of a request's URL to a file.
    ///
    /// See ``download(for:delegate:)``.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await download(for: request, delegate: nil)
    }

    /// Downloads the contents of a URL to a file.
    ///
    /// See ``download(from:delegate:)``.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(from: url, delegate: nil)
    }

    /// Resumes a download.
    ///
    /// See ``download(resumeFrom:delegate:)``.
    public func download(resumeFrom resumeData: Data) async throws -> (URL, URLResponse) {
        try await download(resumeFrom: resumeData, delegate: nil)
    }

    /// Loads the contents of a request's URL, byte by byte.
    ///
    /// See ``bytes(for:delegate:)``.
    public func bytes(for request: URLRequest) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, delegate: nil)
    }

    /// Loads the contents of a URL, byte by byte.
    ///
    /// See ``bytes(from:delegate:)``.
    public func bytes(from url: URL) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(from: url, delegate: nil)
    }
}
