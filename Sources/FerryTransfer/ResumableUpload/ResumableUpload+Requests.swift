import FerryHTTP
import FoundationEssentials

extension ResumableUpload {
    /// Makes the requests for the steps of an upload.
    struct Requests {
        /// The app's request.
        let request: TransferRequest
        /// The length of the body, where it is known.
        let byteCount: Int64?
        /// Whether a checksum of its bytes can be computed before they are sent.
        let isRepeatable: Bool
        /// The name of the file for a tus server.
        let name: String

        /// Returns the request for a step.
        ///
        /// - Parameters:
        ///   - step: The step.
        ///   - resource: The resource at which the upload continues, if there is one.
        ///   - detour: The URL for a part, in place of the resource's.
        /// - Returns: The request.
        func dispatch(_ step: Step, to resource: UploadResource?, detour: String?) -> Dispatch {
            switch step {
            case .upload(let draft):
                var upload = request
                upload.fields += draft?.creationFields(byteCount: byteCount) ?? []
                return Dispatch(request: upload, body: .whole)
            case .discover:
                return Dispatch(request: discovery, body: .none)
            case .create(let capabilities):
                return creation(capabilities)
            case .locate:
                let question = resource.map { about($0, method: "HEAD") }
                return Dispatch(request: question ?? request, body: .none, checksBody: true)
            case .append(let part):
                let rest = resource.map { append(part, to: $0, detour: detour) }
                return Dispatch(request: rest ?? request, body: .part(part), checksBody: true)
            }
        }

        /// Returns the request that has the server forget the upload.
        func termination(of resource: UploadResource) -> TransferRequest {
            about(resource, method: "DELETE")
        }

        private var discovery: TransferRequest {
            var question = request.uploadRequest(to: request.url, method: "OPTIONS", adding: [])
            // A server that does not respond to this must not delay what it would accept.
            let idleTimeout = question.idleTimeout > 0 ? question.idleTimeout : .infinity
            question.idleTimeout = min(idleTimeout, Self.discoveryTimeout)
            return question
        }

        private static let discoveryTimeout = 10.0

        private func about(_ resource: UploadResource, method: String) -> TransferRequest {
            request.uploadRequest(
                to: resource.url,
                method: method,
                adding: resource.language.versionFields
            )
        }

        private func append(
            _ part: Part,
            to resource: UploadResource,
            detour: String?
        ) -> TransferRequest {
            var fields = resource.language.appendFields(
                offset: part.start,
                isComplete: part.isLast,
                contentType: request.fields.first(named: "Content-Type")
            )
            if let hash = part.checksum, let checksum = checksum(for: resource) {
                let value = "\(checksum.rawValue) \(hash)"
                fields.append(HTTPField(name: "Upload-Checksum", value: value))
            }
            return request.uploadRequest(
                to: detour ?? resource.url,
                method: "PATCH",
                adding: fields
            )
        }

        // MARK: - tus

        private func creation(_ capabilities: TusCapabilities) -> Dispatch {
            var fields = UploadProtocol.tus.versionFields + [.uploadLength(byteCount ?? 0)]
            fields.append(HTTPField(name: "Upload-Metadata", value: tusMetadata))
            let takesBody = isSentAtOnce(capabilities)
            if takesBody {
                let type = HTTPField(name: "Content-Type", value: UploadProtocol.tusMediaType)
                fields.append(type)
            }
            return Dispatch(
                request: request.uploadRequest(to: request.url, method: "POST", adding: fields),
                body: takesBody ? .whole : .none
            )
        }

        /// Whether the creation of a resource carries the body: only a short one, as it is lost with the
        /// connection.
        func isSentAtOnce(_ capabilities: TusCapabilities) -> Bool {
            let byteCount = byteCount ?? 0
            return capabilities.createsWithUpload && byteCount > 0 && byteCount <= 256 << 10
        }

        /// The metadata of the body: what the app sets, or else its name and type.
        private var tusMetadata: String {
            if let own = request.fields.first(named: "Upload-Metadata") { return own }
            let type = request.fields.first(named: "Content-Type") ?? "application/octet-stream"
            return [("filename", name), ("filetype", type)]
                .map { "\($0) \(Data($1.utf8).base64EncodedString())" }
                .joined(separator: ",")
        }

        // MARK: - Parts

        /// Returns the next part of the body, as large as the server accepts.
        func part(from start: Int64, to resource: UploadResource?) -> Part {
            // Without a known end of the body, it is unknown which part is the last one.
            guard let byteCount else { return Part(start: start, end: nil, isLast: true) }
            var greatest = resource?.limits.greatestAppend ?? .max
            if checksum(for: resource) != nil { greatest = min(greatest, Self.checkedByteCount) }
            let end = byteCount - start > greatest ? start + greatest : byteCount
            return Part(start: start, end: end, isLast: end == byteCount)
        }

        /// Returns the checksum that the parts are sent with, if any.
        func checksum(for resource: UploadResource?) -> TusChecksum? {
            isRepeatable ? resource?.tus?.checksum : nil
        }

        /// The size of parts with a checksum: a damaged part is sent again, and each is read twice in a row.
        private static let checkedByteCount: Int64 = 4 << 20
    }
}
