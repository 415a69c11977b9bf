import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// What a data or upload task is to do, translated for the layers below and checked.
struct DataTaskSpecification: Sendable {
    /// What is asked for.
    enum Resource: Sendable {
        /// Of a server.
        case http(TransferRequest)
        /// Of this machine, or of the URL itself.
        case local(URL)
        /// Of the app itself.
        case custom(ProtocolClass)
    }

    var resource: Resource
    /// What the connections of the request are counted by; empty where it needs none.
    private(set) var host = ""
    /// The request, as the app made it and the session completes it.
    var request: URLRequest
    /// What is sent, beside a body in the request.
    var body: DataBody
    /// What an earlier task has left of an upload.
    private(set) var resumption: UploadResumeData?

    /// Whether no server is asked.
    var isServedHere: Bool {
        switch resource {
        case .http: false
        case .local, .custom: true
        }
    }

    /// The rest of an upload that an earlier task has begun.
    init(_ resumption: UploadResumption) {
        var transfer = resumption.resumeData.request
        transfer.body = nil
        resource = .http(transfer)
        host = Origin(url: resumption.resumeData.resource.url)?.description ?? transfer.url
        request = resumption.request
        body = resumption.body
        self.resumption = resumption.resumeData
    }

    /// Translates what the app has given.
    ///
    /// - Parameters:
    ///   - request: The request; its own body is ignored where there is another one.
    ///   - body: What is sent.
    ///   - custom: The app's class that loads it, if any.
    ///   - configuration: That of the session.
    ///   - madeFor: The URL that the task was made for, where that is another one.
    /// - Throws: What the task fails with when it is resumed.
    init(
        _ request: URLRequest,
        body: DataBody,
        loadedBy custom: ProtocolClass? = nil,
        configuration: URLSessionConfiguration.Values,
        madeFor: String? = nil
    ) throws(URLError) {
        self.request = request.completed(by: configuration, madeFor: madeFor)
        self.body = body
        if let custom {
            resource = .custom(custom)
            return
        }
        guard let url = request.url else { throw URLError(.unsupportedURL, url: nil) }
        if let scheme = url.scheme?.lowercased(), ["file", "data"].contains(scheme) {
            resource = .local(url)
            return
        }
        resource = .http(
            try TransferRequest(
                request,
                body: body,
                configuration: configuration,
                madeFor: madeFor
            )
        )
        host = Origin(url.absoluteURL)?.description ?? url.absoluteString
    }
}
