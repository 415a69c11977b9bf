/// The members that errors have, of all errors; which are there depends on the error.
struct ErrorParameters: Codable, Hashable, Sendable {
    var identifier: String?
    var pid: Int32?
    var session: Int64?
    var id: Int64?
    var application: String?
    var parameter: String?
    var reason: String?
    var limit: String?
    var maximum: Int64?
    var interface: String?
    var method: String?
}
