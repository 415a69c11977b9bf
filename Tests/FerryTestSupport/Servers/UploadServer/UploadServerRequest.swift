/// A request as an ``UploadServer`` saw it.
package struct UploadServerRequest: Sendable {
    /// The request's place among all, from 0.
    package internal(set) var number = 0
    /// The method.
    package let method: String
    /// The path with the query, as sent.
    package let target: String
    /// The header's fields as sent, in their order.
    package let fields: [(name: String, value: String)]

    /// The first value of a field, in whatever case.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
