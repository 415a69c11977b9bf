import FoundationEssentials

extension Nginx {
    /// What nginx is told.
    struct Configuration {
        let directory: String
        let root: String
        /// The named pipe for its requests.
        let log: String
        let ports: [Listener: Int]
        let authority: TestAuthority?
        let bytesPerSecond: Int?
        let lines: String

        /// Writes its files, and returns the path of the first one.
        func write() throws -> String {
            let users = "\(Nginx.user):{PLAIN}\(Nginx.password)\n"
            try Data(users.utf8).write(to: URL(filePath: "\(directory)/users"))
            let path = "\(directory)/nginx.conf"
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }

        private var text: String {
            """
            daemon off; master_process off; pid \(directory)/pid;
            error_log stderr notice;
            events {}
            http {
                log_format ferry "\(Request.format)";
                access_log \(log) ferry;
                client_body_temp_path \(directory)/body; proxy_temp_path \(directory)/proxy;
                fastcgi_temp_path \(directory)/fastcgi; uwsgi_temp_path \(directory)/uwsgi;
                scgi_temp_path \(directory)/scgi;
                client_max_body_size 0; default_type text/plain;
                map $arg_rate $rate { default $arg_rate; "" \(bytesPerSecond ?? 0); }
                \(servers)
                # Where requests end whose body has to be read to its end.
                server {
                    listen unix:\(directory)/inner; access_log off;
                    location / { return 200 "read"; }
                }
            }

            """
        }

        private var servers: String {
            ports.map { "server { \(listen($0, $1)) \(locations) \(lines) }" }.joined(
                separator: "\n"
            )
        }

        private func listen(_ listener: Listener, _ port: Int) -> String {
            guard let authority, listener != .plain else { return "listen 127.0.0.1:\(port);" }
            let verification =
                switch listener {
                case .requiringCertificate: "on"
                case .acceptingCertificate: "optional"
                case .plain, .secure: "off"
                }
            return """
                listen 127.0.0.1:\(port) ssl http2; ssl_protocols TLSv1.2 TLSv1.3;
                ssl_certificate \(authority.server.file);
                ssl_certificate_key \(authority.server.keyFile);
                ssl_client_certificate \(authority.file); ssl_verify_client \(verification);
                """
        }

        private var locations: String {
            """
            root \(root); limit_rate $rate;
            location = /echo { return 200 "\(Echo.template)"; }
            location = /moved { return 303 /echo; }
            location = /silent { return 444; }
            location = /post {
                proxy_pass http://unix:\(directory)/inner;
                proxy_pass_request_body off; proxy_set_header Content-Length "";
            }
            location /private/ {
                alias \(root)/; auth_basic "ferry"; auth_basic_user_file \(directory)/users;
            }
            location /gzip/ { alias \(root)/; gzip on; gzip_types *; gzip_min_length 1; }
            location /close/ { alias \(root)/; keepalive_timeout 0; }
            location /upload/ { dav_methods PUT DELETE; create_full_put_path on; }
            """
        }
    }
}

extension Nginx {
    /// What nginx has seen of a request, as its page `echo` tells it.
    ///
    ///     Nginx.Echo(text)["accept-encoding"]
    ///
    /// Header fields have their names, in small letters. These are no fields: `method`, `uri`,
    /// `protocol`, `connection` (its number), `tls` (its version), `verdict` on the client's
    /// certificate (`SUCCESS`, `NONE`) and its `subject`.
    package struct Echo: Sendable {
        private let values: [String: String]

        private static let variables: KeyValuePairs = [
            "method": "request_method", "uri": "request_uri", "protocol": "server_protocol",
            "connection": "connection", "tls": "ssl_protocol", "verdict": "ssl_client_verify",
            "subject": "ssl_client_s_dn",
        ]

        private static let fields = [
            "accept", "accept-encoding", "accept-language", "authorization", "cache-control",
            "content-length", "content-type", "cookie", "expect", "host", "if-modified-since",
            "if-none-match", "origin", "pragma", "range", "referer", "transfer-encoding",
            "user-agent", "x-test",
        ]

        /// The page, for nginx to fill in.
        static var template: String {
            let fields = fields.map { ($0, "http_" + $0.replacing("-", with: "_")) }
            let all = variables.map { ($0.key, $0.value) } + fields
            return all.map { #"\#($0): $\#($1)\n"# }.joined()
        }

        /// Reads the page.
        package init(_ text: String) {
            let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
            values = Dictionary(pairs) { first, _ in first }
        }

        /// A value; `nil` when there was none.
        package subscript(name: String) -> String? {
            values[name]
        }
    }
}
