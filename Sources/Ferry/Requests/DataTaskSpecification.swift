import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// The specification of a data or upload task, checked and translated for the layers below.
struct DataTaskSpecification: Sendable {
    /// The requested resource.
    enum Resource: Sendable {
        /// On a server.
        case http(TransferRequest)
        /// On this machine, or in the URL itself.
        case local(URL)
        /// In the app itself.
        case custom(ProtocolClass)
    }

    var resource: Resource
    /// The host for which the request's connections are counted; empty if it needs none.
    private(set) var host = ""
    /// The request, as the app made it and the session completes it.
    var request: URLRequest
    /// The body that is sent, apart from one in the request.
    var body: DataBody
    /// The resume data of an earlier upload task.
    private(set) var resumption: UploadResumeData?

    /// Whether the task needs no server.
    var isServedHere: Bool {
        switch resource {
        case .http: false
        case .local, .custom: true
        }
    }

    /// Creates the specification for the rest of an upload that an earlier task has begun.
    init(_ resumption: UploadResumption) {
        var transfer = resumption.resumeData.request
        transfer.body = nil
        resource = .http(transfer)
        host = Origin(url: resumption.resumeData.resource.url)?.description ?? transfer.url
        request = resumption.request
        body = resumption.body
        self.resumption = resumption.resumeData
    }

    /// Translates the app's request.
    ///
    /// - Parameters:
    ///   - request: The request; its own body is ignored where there is another one.
    ///   - body: The body to send.
    ///   - custom: The app's class that loads it, if any.
    ///   - configuration: The session's configuration.
    ///   - madeFor: The URL that the task was made for, if it differs.
    /// - Throws: The error with which the task fails when it is resumed.
    init(
        _ request: URLRequest,
        body: DataBody,
        loadedBy custom: ProtocolClass? = nil,
        configuration: borrowing URLSessionConfiguration.Values,
        madeFor: String? = nil
    ) throws(URLError) {
        self.request = request.completed(by: configuration, madeFor: madeFor)
        self.body = body
        if let custom {
            resource = .custom(custom)
            return
        }
        guard let url = request.url else {
            throw URLError(.unsupportedURL, url: nil, reason: "The request has no URL.")
        }
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
