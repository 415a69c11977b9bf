import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension Wire.Request {
    /// A request as the daemon takes it.
    init(_ request: TransferRequest) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { Wire.Field($0) },
            body: request.body.map { Data($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor
        )
    }
}

extension TransferRequest {
    /// A request as the daemon tells it.
    init(_ request: Wire.Request) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { HTTPField($0) },
            body: request.body.map { Array($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor
        )
    }
}

extension URLRequest {
    /// A request as the daemon tells it.
    init(_ request: Wire.Request) {
        self.init(TransferRequest(request))
    }
}

extension HTTPResponseHead {
    /// A response as the daemon tells it.
    init(_ response: Wire.Response) {
        self.init(
            status: response.status,
            version: response.version,
            fields: response.fields.map { HTTPField($0) },
            url: response.url
        )
    }
}

extension Wire.Field {
    /// A field as the daemon takes it.
    init(_ field: HTTPField) {
        self.init(name: field.name, value: field.value)
    }
}

extension HTTPField {
    /// A field as the daemon tells it.
    init(_ field: Wire.Field) {
        self.init(name: field.name, value: field.value)
    }
}
