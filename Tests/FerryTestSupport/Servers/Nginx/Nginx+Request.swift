extension Nginx {
    /// A request that nginx has answered, as its log tells it.
    package struct Request: Hashable, Sendable {
        /// The method.
        package let method: String
        /// The path, without what follows a question mark.
        package let path: String
        /// `HTTP/1.1` or `HTTP/2.0`.
        package let version: String
        /// The answer's status.
        package let status: Int
        /// The range that was asked for.
        package let range: String?
        /// How many bytes of the answer's body were sent.
        package let byteCount: Int
        /// The number of the connection, among all of this nginx's.
        package let connection: Int
        /// The user that has shown a password.
        package let user: String?

        static let format = [
            "request", "$request_method", "$uri", "$server_protocol", "$status", "$http_range",
            "$body_bytes_sent", "$connection", "$remote_user",
        ].joined(separator: #"\t"#)

        /// Reads a line of the log; `nil` for one that is about something else.
        init?(_ line: String) {
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 9, parts[0] == "request", let status = Int(parts[4]),
                let byteCount = Int(parts[6]), let connection = Int(parts[7])
            else { return nil }
            (method, path, version) = (parts[1], parts[2], parts[3])
            self.status = status
            range = parts[5] == "-" ? nil : parts[5]
            self.byteCount = byteCount
            self.connection = connection
            user = parts[8] == "-" ? nil : parts[8]
        }
    }
}
