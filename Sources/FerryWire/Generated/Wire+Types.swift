// Written by scripts/interface from io.ferry.Transfer.varlink: change that, and run `make interface`.

package import FerryHTTP
package import FoundationEssentials

extension Wire {
    /// A field of an HTTP message.
    package typealias Field = HTTPField

    /// A request for a resource.
    package struct Request: JSONCodable, Codable {
        /// The resource's address: http or https.
        package var url: String
        /// The request's method, such as GET.
        package var method: String
        /// The header fields, in the order in which they are sent.
        package var fields: [HTTPField]
        /// The body.
        package var body: Data?
        /// The number of seconds without a byte after which the attempt is given up; 0 for no limit.
        package var idleTimeout: Double
        /// The address that the task was created for, if another one has replaced it.
        ///
        /// What belongs to the session, such as its fields, is meant for the origin of the original address
        /// alone.
        package var madeFor: String?
        /// Whether cookies that are set with a redirect are ignored, instead of sent where it leads.
        package var ignoresCookies: Bool?
        /// The address whose site alone may set such cookies; any may if it is missing.
        package var cookieSite: String?

        /// Creates the value from its members.
        package init(
            url: String,
            method: String,
            fields: [HTTPField],
            body: Data? = nil,
            idleTimeout: Double,
            madeFor: String? = nil,
            ignoresCookies: Bool? = nil,
            cookieSite: String? = nil
        ) {
            self.url = url
            self.method = method
            self.fields = fields
            self.body = body
            self.idleTimeout = idleTimeout
            self.madeFor = madeFor
            self.ignoresCookies = ignoresCookies
            self.cookieSite = cookieSite
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("body", body)
                output.member("cookieSite", cookieSite)
                output.member("fields", fields)
                output.member("idleTimeout", idleTimeout)
                output.member("ignoresCookies", ignoresCookies)
                output.member("madeFor", madeFor)
                output.member("method", method)
                output.member("url", url)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var url: String?
            var method: String?
            var fields: [HTTPField]?
            var body: Data?
            var idleTimeout: Double?
            var madeFor: String?
            var ignoresCookies: Bool?
            var cookieSite: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "url": url = try input.value()
                case "method": method = try input.value()
                case "fields": fields = try input.value()
                case "body": body = try input.value()
                case "idleTimeout": idleTimeout = try input.value()
                case "madeFor": madeFor = try input.value()
                case "ignoresCookies": ignoresCookies = try input.value()
                case "cookieSite": cookieSite = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                url: try input.required(url, "url"),
                method: try input.required(method, "method"),
                fields: try input.required(fields, "fields"),
                body: body,
                idleTimeout: try input.required(idleTimeout, "idleTimeout"),
                madeFor: madeFor,
                ignoresCookies: ignoresCookies,
                cookieSite: cookieSite
            )
        }
    }

    /// The head of a server's response.
    package typealias Response = HTTPResponseHead

    /// How to start an application again.
    package struct Launch: JSONCodable {
        /// The program's absolute path.
        package var executable: String
        /// The arguments after the program's name.
        package var arguments: [String]
        /// The working directory's absolute path.
        package var directory: String
        /// All environment variables.
        package var environment: [String: String]
        /// Its mask for new files (umask(2)); if missing, the one that the daemon was started with.
        package var fileModeMask: Int?
        /// The names of its environment variables that are not passed on.
        package var omittedVariables: [String]?

        /// Creates the value from its members.
        package init(
            executable: String,
            arguments: [String],
            directory: String,
            environment: [String: String],
            fileModeMask: Int? = nil,
            omittedVariables: [String]? = nil
        ) {
            self.executable = executable
            self.arguments = arguments
            self.directory = directory
            self.environment = environment
            self.fileModeMask = fileModeMask
            self.omittedVariables = omittedVariables
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("arguments", arguments)
                output.member("directory", directory)
                output.member("environment", environment)
                output.member("executable", executable)
                output.member("fileModeMask", fileModeMask)
                output.member("omittedVariables", omittedVariables)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var executable: String?
            var arguments: [String]?
            var directory: String?
            var environment: [String: String]?
            var fileModeMask: Int?
            var omittedVariables: [String]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "executable": executable = try input.value()
                case "arguments": arguments = try input.value()
                case "directory": directory = try input.value()
                case "environment": environment = try input.value()
                case "fileModeMask": fileModeMask = try input.value()
                case "omittedVariables": omittedVariables = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                executable: try input.required(executable, "executable"),
                arguments: try input.required(arguments, "arguments"),
                directory: try input.required(directory, "directory"),
                environment: try input.required(environment, "environment"),
                fileModeMask: fileModeMask,
                omittedVariables: omittedVariables
            )
        }
    }

    /// An application that submits transfers.
    package struct Application: JSONCodable {
        /// The name that distinguishes the application from the user's others.
        package var identifier: String
        /// How to start it when its transfers need it; if missing, it is never started.
        package var launch: Launch?

        /// Creates the value from its members.
        package init(identifier: String, launch: Launch? = nil) {
            self.identifier = identifier
            self.launch = launch
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("launch", launch)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var identifier: String?
            var launch: Launch?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "identifier": identifier = try input.value()
                case "launch": launch = try input.value()
                default: try input.skip()
                }
            }
            self.init(identifier: try input.required(identifier, "identifier"), launch: launch)
        }
    }

    /// Files with which a client authenticates to the servers of its tasks' own requests.
    package struct ClientCertificate: JSONCodable {
        /// The absolute path of the certificate, in PEM, or of certificate and key, in PEM or PKCS #12.
        package var certificate: String
        /// The absolute path of the key, in PEM, if it is in a separate file.
        package var key: String?
        /// The passphrase of the key.
        package var passphrase: String?

        /// Creates the value from its members.
        package init(certificate: String, key: String? = nil, passphrase: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("certificate", certificate)
                output.member("key", key)
                output.member("passphrase", passphrase)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var certificate: String?
            var key: String?
            var passphrase: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "certificate": certificate = try input.value()
                case "key": key = try input.value()
                case "passphrase": passphrase = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                certificate: try input.required(certificate, "certificate"),
                key: key,
                passphrase: passphrase
            )
        }
    }

    /// A version of the Internet Protocol.
    package enum AddressFamily: String, JSONEnumeration {
        /// Version 4.
        case ipv4
        /// Version 6.
        case ipv6
    }

    /// Addresses of a host that are used without a lookup of its name.
    package struct HostAddresses: JSONCodable {
        /// The host's name in lower case.
        package var host: String
        /// The port of the connections that use them.
        package var port: Int
        /// The addresses, such as 192.0.2.1 and 2001:db8::1; the first one that responds is used.
        package var addresses: [String]

        /// Creates the value from its members.
        package init(host: String, port: Int, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("addresses", addresses)
                output.member("host", host)
                output.member("port", port)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var host: String?
            var port: Int?
            var addresses: [String]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "host": host = try input.value()
                case "port": port = try input.value()
                case "addresses": addresses = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                host: try input.required(host, "host"),
                port: try input.required(port, "port"),
                addresses: try input.required(addresses, "addresses")
            )
        }
    }

    /// How a session makes connections: its proxies, trusted authorities, client certificate and route.
    ///
    /// Files are read when a transfer starts.
    package struct Connections: JSONCodable {
        /// The proxy for http servers, as curl reads it: [scheme://][user:password@]host[:port].
        package var httpProxy: String?
        /// The proxy for https servers, likewise.
        package var httpsProxy: String?
        /// The hosts that are reached without a proxy, as in curl's variable no_proxy.
        package var proxyExceptions: [String]?
        /// The absolute path of a PEM file of trusted authorities, instead of the system's.
        package var authorityFile: String?
        /// The absolute path of a directory of trusted authorities' PEM files as OpenSSL names them (c_rehash),
        /// instead of the system's.
        package var authorityDirectory: String?
        /// The certificate with which the client authenticates.
        package var clientCertificate: ClientCertificate?
        /// The version of the Internet Protocol of all connections; any if it is missing.
        package var addressFamily: AddressFamily?
        /// The interface that connections are made from, such as eth0, or an address of this machine.
        package var interface: String?
        /// The hosts whose names are not looked up.
        package var hosts: [HostAddresses]?
        /// The ports of the machine that connections are made from.
        package var localPorts: PortRange?
        /// The servers to connect to in place of others.
        package var redirections: [Redirection]?
        /// The absolute path of the UNIX socket of the server of all requests.
        package var unixSocket: String?
        /// The oldest version of TLS to use; TLS 1.2 if it is missing.
        package var minimumTLSVersion: TLSVersion?
        /// The newest version of TLS to use; the newest available if it is missing.
        package var maximumTLSVersion: TLSVersion?
        /// The ciphers up to TLS 1.2, in OpenSSL's words.
        package var ciphers: String?
        /// The SHA-256 digests of public keys, one of which the server's key must have.
        package var keyDigests: [Data]?
        /// Whether a proxy is asked for a tunnel to http servers, too.
        package var alwaysTunnels: Bool?
        /// The header fields that proxies get, and servers do not.
        package var proxyFields: [HTTPField]?

        /// Creates the value from its members.
        package init(
            httpProxy: String? = nil,
            httpsProxy: String? = nil,
            proxyExceptions: [String]? = nil,
            authorityFile: String? = nil,
            authorityDirectory: String? = nil,
            clientCertificate: ClientCertificate? = nil,
            addressFamily: AddressFamily? = nil,
            interface: String? = nil,
            hosts: [HostAddresses]? = nil,
            localPorts: PortRange? = nil,
            redirections: [Redirection]? = nil,
            unixSocket: String? = nil,
            minimumTLSVersion: TLSVersion? = nil,
            maximumTLSVersion: TLSVersion? = nil,
            ciphers: String? = nil,
            keyDigests: [Data]? = nil,
            alwaysTunnels: Bool? = nil,
            proxyFields: [HTTPField]? = nil
        ) {
            self.httpProxy = httpProxy
            self.httpsProxy = httpsProxy
            self.proxyExceptions = proxyExceptions
            self.authorityFile = authorityFile
            self.authorityDirectory = authorityDirectory
            self.clientCertificate = clientCertificate
            self.addressFamily = addressFamily
            self.interface = interface
            self.hosts = hosts
            self.localPorts = localPorts
            self.redirections = redirections
            self.unixSocket = unixSocket
            self.minimumTLSVersion = minimumTLSVersion
            self.maximumTLSVersion = maximumTLSVersion
            self.ciphers = ciphers
            self.keyDigests = keyDigests
            self.alwaysTunnels = alwaysTunnels
            self.proxyFields = proxyFields
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("addressFamily", addressFamily)
                output.member("alwaysTunnels", alwaysTunnels)
                output.member("authorityDirectory", authorityDirectory)
                output.member("authorityFile", authorityFile)
                output.member("ciphers", ciphers)
                output.member("clientCertificate", clientCertificate)
                output.member("hosts", hosts)
                output.member("httpProxy", httpProxy)
                output.member("httpsProxy", httpsProxy)
                output.member("interface", interface)
                output.member("keyDigests", keyDigests)
                output.member("localPorts", localPorts)
                output.member("maximumTLSVersion", maximumTLSVersion)
                output.member("minimumTLSVersion", minimumTLSVersion)
                output.member("proxyExceptions", proxyExceptions)
                output.member("proxyFields", proxyFields)
                output.member("redirections", redirections)
                output.member("unixSocket", unixSocket)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var httpProxy: String?
            var httpsProxy: String?
            var proxyExceptions: [String]?
            var authorityFile: String?
            var authorityDirectory: String?
            var clientCertificate: ClientCertificate?
            var addressFamily: AddressFamily?
            var interface: String?
            var hosts: [HostAddresses]?
            var localPorts: PortRange?
            var redirections: [Redirection]?
            var unixSocket: String?
            var minimumTLSVersion: TLSVersion?
            var maximumTLSVersion: TLSVersion?
            var ciphers: String?
            var keyDigests: [Data]?
            var alwaysTunnels: Bool?
            var proxyFields: [HTTPField]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "httpProxy": httpProxy = try input.value()
                case "httpsProxy": httpsProxy = try input.value()
                case "proxyExceptions": proxyExceptions = try input.value()
                case "authorityFile": authorityFile = try input.value()
                case "authorityDirectory": authorityDirectory = try input.value()
                case "clientCertificate": clientCertificate = try input.value()
                case "addressFamily": addressFamily = try input.value()
                case "interface": interface = try input.value()
                case "hosts": hosts = try input.value()
                case "localPorts": localPorts = try input.value()
                case "redirections": redirections = try input.value()
                case "unixSocket": unixSocket = try input.value()
                case "minimumTLSVersion": minimumTLSVersion = try input.value()
                case "maximumTLSVersion": maximumTLSVersion = try input.value()
                case "ciphers": ciphers = try input.value()
                case "keyDigests": keyDigests = try input.value()
                case "alwaysTunnels": alwaysTunnels = try input.value()
                case "proxyFields": proxyFields = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                httpProxy: httpProxy,
                httpsProxy: httpsProxy,
                proxyExceptions: proxyExceptions,
                authorityFile: authorityFile,
                authorityDirectory: authorityDirectory,
                clientCertificate: clientCertificate,
                addressFamily: addressFamily,
                interface: interface,
                hosts: hosts,
                localPorts: localPorts,
                redirections: redirections,
                unixSocket: unixSocket,
                minimumTLSVersion: minimumTLSVersion,
                maximumTLSVersion: maximumTLSVersion,
                ciphers: ciphers,
                keyDigests: keyDigests,
                alwaysTunnels: alwaysTunnels,
                proxyFields: proxyFields
            )
        }
    }

    /// Ports of a machine.
    package struct PortRange: JSONCodable {
        /// The first port; 1 to 65535.
        package var first: Int
        /// The last port; not below the first one.
        package var last: Int

        /// Creates the value from its members.
        package init(first: Int, last: Int) {
            self.first = first
            self.last = last
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("first", first)
                output.member("last", last)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var first: Int?
            var last: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "first": first = try input.value()
                case "last": last = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                first: try input.required(first, "first"),
                last: try input.required(last, "last")
            )
        }
    }

    /// Another server to connect to in place of the one that a URL names.
    package struct Redirection: JSONCodable {
        /// The name of the host in the URL, in lower case.
        package var host: String
        /// The port of the URL; 1 to 65535.
        package var port: Int
        /// The name or the address of the other server.
        package var target: String
        /// The port of the other server; 1 to 65535.
        package var targetPort: Int

        /// Creates the value from its members.
        package init(host: String, port: Int, target: String, targetPort: Int) {
            self.host = host
            self.port = port
            self.target = target
            self.targetPort = targetPort
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("host", host)
                output.member("port", port)
                output.member("target", target)
                output.member("targetPort", targetPort)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var host: String?
            var port: Int?
            var target: String?
            var targetPort: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "host": host = try input.value()
                case "port": port = try input.value()
                case "target": target = try input.value()
                case "targetPort": targetPort = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                host: try input.required(host, "host"),
                port: try input.required(port, "port"),
                target: try input.required(target, "target"),
                targetPort: try input.required(targetPort, "targetPort")
            )
        }
    }

    /// A version of TLS.
    package enum TLSVersion: String, JSONEnumeration {
        /// TLS 1.0, which is no longer safe (RFC 8996).
        case tls10
        /// TLS 1.1, which is no longer safe (RFC 8996).
        case tls11
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// A condition of the machine under which a task may not be wanted to run.
    package enum Condition: String, JSONEnumeration {
        /// The network costs money: it is metered.
        case expensiveNetwork
        /// The network is metered, and the user wants few bytes on it.
        case constrainedNetwork
        /// The network is cellular.
        case cellularNetwork
        /// The machine runs on battery.
        case battery
        /// The machine saves power.
        case powerSaver
        /// The present hour is not one that the user has set for discretionary work.
        case outsideHours
        /// None of these: never sent, but a reader takes a condition that it does not know for this.
        case other

        /// A case of a newer version that this one does not know.
        package static var unknown: Self? { .other }
    }

    /// The settings for all tasks of a session.
    package struct SessionConfiguration: JSONCodable {
        /// Header fields for every request that does not set them itself.
        package var additionalFields: [HTTPField]
        /// The number of seconds that a task may take from its first resume, including retries; 0 for no limit.
        package var resourceTimeout: Double
        /// The maximum number of tasks of the session that load from one host at once.
        package var maximumConnectionsPerHost: Int
        /// The maximum number of tasks of the session that run at once; if missing, as many as the daemon
        /// allows.
        package var maximumTransfers: Int?
        /// Whether the application is started when all tasks are done, and for decisions that it has to make.
        package var sendsLaunchEvents: Bool
        /// Whether it is started as soon as one task is done, even while another process of it runs.
        package var launchesForEachTask: Bool?
        /// Whether the application may answer password challenges; otherwise it is not asked.
        package var answersPasswords: Bool?
        /// Whether the application may decide about certificates, the server's or its own.
        package var answersCertificates: Bool?
        /// Whether the application wants the metrics of its tasks.
        package var collectsMetrics: Bool?
        /// Whether the application may give a task another address when its own has expired.
        package var replacesLinks: Bool?
        /// The maximum number of bytes that the session's tasks together receive per second.
        package var receiveRate: Int64?
        /// The maximum number of bytes that the session's tasks together send per second.
        package var sendRate: Int64?
        /// How connections are made; if missing, as the process that opened the session before has set it.
        package var connections: Connections?
        /// The conditions under which the session's tasks do not run.
        package var avoids: [Condition]?

        /// Creates the value from its members.
        package init(
            additionalFields: [HTTPField],
            resourceTimeout: Double,
            maximumConnectionsPerHost: Int,
            maximumTransfers: Int? = nil,
            sendsLaunchEvents: Bool,
            launchesForEachTask: Bool? = nil,
            answersPasswords: Bool? = nil,
            answersCertificates: Bool? = nil,
            collectsMetrics: Bool? = nil,
            replacesLinks: Bool? = nil,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil,
            connections: Connections? = nil,
            avoids: [Condition]? = nil
        ) {
            self.additionalFields = additionalFields
            self.resourceTimeout = resourceTimeout
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.maximumTransfers = maximumTransfers
            self.sendsLaunchEvents = sendsLaunchEvents
            self.launchesForEachTask = launchesForEachTask
            self.answersPasswords = answersPasswords
            self.answersCertificates = answersCertificates
            self.collectsMetrics = collectsMetrics
            self.replacesLinks = replacesLinks
            self.receiveRate = receiveRate
            self.sendRate = sendRate
            self.connections = connections
            self.avoids = avoids
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("additionalFields", additionalFields)
                output.member("answersCertificates", answersCertificates)
                output.member("answersPasswords", answersPasswords)
                output.member("avoids", avoids)
                output.member("collectsMetrics", collectsMetrics)
                output.member("connections", connections)
                output.member("launchesForEachTask", launchesForEachTask)
                output.member("maximumConnectionsPerHost", maximumConnectionsPerHost)
                output.member("maximumTransfers", maximumTransfers)
                output.member("receiveRate", receiveRate)
                output.member("replacesLinks", replacesLinks)
                output.member("resourceTimeout", resourceTimeout)
                output.member("sendRate", sendRate)
                output.member("sendsLaunchEvents", sendsLaunchEvents)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var additionalFields: [HTTPField]?
            var resourceTimeout: Double?
            var maximumConnectionsPerHost: Int?
            var maximumTransfers: Int?
            var sendsLaunchEvents: Bool?
            var launchesForEachTask: Bool?
            var answersPasswords: Bool?
            var answersCertificates: Bool?
            var collectsMetrics: Bool?
            var replacesLinks: Bool?
            var receiveRate: Int64?
            var sendRate: Int64?
            var connections: Connections?
            var avoids: [Condition]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "additionalFields": additionalFields = try input.value()
                case "resourceTimeout": resourceTimeout = try input.value()
                case "maximumConnectionsPerHost": maximumConnectionsPerHost = try input.value()
                case "maximumTransfers": maximumTransfers = try input.value()
                case "sendsLaunchEvents": sendsLaunchEvents = try input.value()
                case "launchesForEachTask": launchesForEachTask = try input.value()
                case "answersPasswords": answersPasswords = try input.value()
                case "answersCertificates": answersCertificates = try input.value()
                case "collectsMetrics": collectsMetrics = try input.value()
                case "replacesLinks": replacesLinks = try input.value()
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                case "connections": connections = try input.value()
                case "avoids": avoids = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                additionalFields: try input.required(additionalFields, "additionalFields"),
                resourceTimeout: try input.required(resourceTimeout, "resourceTimeout"),
                maximumConnectionsPerHost: try input.required(
                    maximumConnectionsPerHost,
                    "maximumConnectionsPerHost"
                ),
                maximumTransfers: maximumTransfers,
                sendsLaunchEvents: try input.required(sendsLaunchEvents, "sendsLaunchEvents"),
                launchesForEachTask: launchesForEachTask,
                answersPasswords: answersPasswords,
                answersCertificates: answersCertificates,
                collectsMetrics: collectsMetrics,
                replacesLinks: replacesLinks,
                receiveRate: receiveRate,
                sendRate: sendRate,
                connections: connections,
                avoids: avoids
            )
        }
    }

    /// The reason why a task waits.
    package enum WaitReason: String, JSONEnumeration {
        /// A person paused it.
        case paused
        /// Its host has the maximum number of transfers.
        case hostLimit
        /// The daemon has the maximum number of transfers.
        case connectionLimit
        /// The last attempt failed; the next one follows later.
        case backoff
        /// Its application wants it to begin later.
        case earliestBegin
        /// Its application has to decide something first.
        case application
        /// No route leads from this machine to any other.
        case network
        /// The disk, or the user's share of it, is full.
        case diskSpace
        /// Its host has failed repeatedly, and only one transfer tries it.
        case hostFailure
        /// It had stalled, and was preempted for other transfers.
        case fairShare
        /// The network costs money, and the task is not to use such a one.
        case expensiveNetwork
        /// The user wants few bytes on the network, and the task is not to use such a one.
        case constrainedNetwork
        /// The network is cellular, and the task is not to use such a one.
        case cellularNetwork
        /// The machine runs on battery, and the task is to wait for other power.
        case battery
        /// The machine saves power, and the task is to wait for the end of that.
        case powerSaver
        /// The present hour is not one that the user has set for such tasks.
        case outsideHours
        /// The machine is about to sleep or to shut down.
        case machineSleep
        /// Its server refuses the rest of it at the address that it has; RelinkTask gives it another one.
        case expiredLink
        /// It is about to start.
        case starting
        /// None of these; the detail describes it.
        case other

        /// A case of a newer version that this one does not know.
        package static var unknown: Self? { .other }
    }

    /// The reason why a task does not run although it may.
    package struct Wait: JSONCodable {
        /// The reason, for programs.
        package var reason: WaitReason
        /// When it ends, if known.
        package var until: Date?
        /// Details of the reason, for people.
        package var detail: String?

        /// Creates the value from its members.
        package init(reason: WaitReason, until: Date? = nil, detail: String? = nil) {
            self.reason = reason
            self.until = until
            self.detail = detail
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("detail", detail)
                output.member("reason", reason)
                output.member("until", until)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var reason: WaitReason?
            var until: Date?
            var detail: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "reason": reason = try input.value()
                case "until": until = try input.value()
                case "detail": detail = try input.value()
                default: try input.skip()
                }
            }
            self.init(reason: try input.required(reason, "reason"), until: until, detail: detail)
        }
    }

    /// The date before which a task does not begin.
    package struct EarliestBegin: JSONCodable {
        /// The date.
        package var date: Date
        /// Whether the application is asked then; it is started for that if it is not running.
        package var asks: Bool

        /// Creates the value from its members.
        package init(date: Date, asks: Bool) {
            self.date = date
            self.asks = asks
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("asks", asks)
                output.member("date", date)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var date: Date?
            var asks: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "date": date = try input.value()
                case "asks": asks = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                date: try input.required(date, "date"),
                asks: try input.required(asks, "asks")
            )
        }
    }

    /// A digest of all bytes of a resource.
    package struct Digest: JSONCodable {
        /// The algorithm, by its name in the registry of RFC 9530, such as sha-256.
        package var algorithm: String
        /// The digest.
        package var value: Data

        /// Creates the value from its members.
        package init(algorithm: String, value: Data) {
            self.algorithm = algorithm
            self.value = value
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("algorithm", algorithm)
                output.member("value", value)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var algorithm: String?
            var value: Data?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "algorithm": algorithm = try input.value()
                case "value": value = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                algorithm: try input.required(algorithm, "algorithm"),
                value: try input.required(value, "value")
            )
        }
    }

    /// Which failed attempts are repeated, and when; the daemon chooses what is missing.
    package struct RetryRules: JSONCodable {
        /// The maximum number of failed attempts in a row; 1 or more.
        package var maximumAttempts: Int?
        /// The maximum number of failed attempts in a row while the server has answered none of the
        /// application's tasks; 1 or more.
        ///
        /// A task that fails while no client has the session open loses this limit.
        package var maximumUnansweredAttempts: Int?
        /// The delay in seconds after the first failure in a row.
        package var firstDelay: Double?
        /// The factor by which each further delay is longer.
        package var factor: Double?
        /// The maximum delay in seconds, unless a server requests more.
        package var maximumDelay: Double?
        /// The status codes of responses after which the request is repeated.
        package var statuses: [Int]?

        /// Creates the value from its members.
        package init(
            maximumAttempts: Int? = nil,
            maximumUnansweredAttempts: Int? = nil,
            firstDelay: Double? = nil,
            factor: Double? = nil,
            maximumDelay: Double? = nil,
            statuses: [Int]? = nil
        ) {
            self.maximumAttempts = maximumAttempts
            self.maximumUnansweredAttempts = maximumUnansweredAttempts
            self.firstDelay = firstDelay
            self.factor = factor
            self.maximumDelay = maximumDelay
            self.statuses = statuses
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("factor", factor)
                output.member("firstDelay", firstDelay)
                output.member("maximumAttempts", maximumAttempts)
                output.member("maximumDelay", maximumDelay)
                output.member("maximumUnansweredAttempts", maximumUnansweredAttempts)
                output.member("statuses", statuses)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var maximumAttempts: Int?
            var maximumUnansweredAttempts: Int?
            var firstDelay: Double?
            var factor: Double?
            var maximumDelay: Double?
            var statuses: [Int]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "maximumAttempts": maximumAttempts = try input.value()
                case "maximumUnansweredAttempts": maximumUnansweredAttempts = try input.value()
                case "firstDelay": firstDelay = try input.value()
                case "factor": factor = try input.value()
                case "maximumDelay": maximumDelay = try input.value()
                case "statuses": statuses = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                maximumAttempts: maximumAttempts,
                maximumUnansweredAttempts: maximumUnansweredAttempts,
                firstDelay: firstDelay,
                factor: factor,
                maximumDelay: maximumDelay,
                statuses: statuses
            )
        }
    }

    /// The protocol with which an upload can be continued.
    package enum UploadProtocol: String, JSONEnumeration {
        /// The one that the server offers.
        case automatic
        /// The IETF's draft, if the server offers it.
        case draft
        /// tus 1.0.
        case tus
        /// None: each attempt starts from the beginning.
        case off
    }

    /// The options of a task, beyond its request; the daemon chooses what is missing.
    package struct TransferOptions: JSONCodable {
        /// The digests that the finished file must have.
        package var digests: [Digest]?
        /// Other addresses of the same resource.
        package var mirrors: [String]?
        /// The maximum number of connections that load parts of the resource at once; 1 or more.
        package var maximumConnections: Int?
        /// The maximum number of bytes received per second.
        package var receiveRate: Int64?
        /// The maximum number of bytes sent per second.
        package var sendRate: Int64?
        /// Which failed attempts are repeated, and when.
        package var retry: RetryRules?
        /// Whether a response with a status of 400 or more fails a download, instead of being its file.
        package var refusesErrorResponses: Bool?
        /// Whether a download whose server refuses the rest of it waits for another address, instead of
        /// failing.
        package var holdsExpiredLinks: Bool?
        /// The protocol with which an upload can be continued.
        package var uploadProtocol: UploadProtocol?
        /// The absolute path of the directory that a download is for: its file grows there, under a hidden
        /// name, if that is another file system than the daemon's.
        package var directory: String?
        /// Whether the machine does not sleep by itself while the task runs, if logind grants that.
        package var keepsMachineAwake: Bool?
        /// The conditions under which the task does not run, besides those that its session avoids.
        package var avoids: [Condition]?
        /// The number of seconds that a connection may take, from the lookup of the host's name to the end of
        /// the TLS handshake; 0 for no limit.
        package var connectTimeout: Double?
        /// Whether any certificate of a server is accepted.
        package var acceptsInvalidCertificates: Bool?
        /// The maximum number of redirects that are followed in a row; 0 or more.
        package var maximumRedirects: Int?
        /// Whether redirects lead to https servers alone.
        package var requiresTLS: Bool?
        /// The maximum length of a download's file in bytes; 1 or more.
        package var maximumByteCount: Int64?
        /// The number of bytes per second that must arrive at least over each connection; 1 or more.
        package var minimumReceiveRate: Int64?
        /// Cookies for the task's requests, those that follow redirects included.
        package var cookies: [Cookie]?

        /// Creates the value from its members.
        package init(
            digests: [Digest]? = nil,
            mirrors: [String]? = nil,
            maximumConnections: Int? = nil,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil,
            retry: RetryRules? = nil,
            refusesErrorResponses: Bool? = nil,
            holdsExpiredLinks: Bool? = nil,
            uploadProtocol: UploadProtocol? = nil,
            directory: String? = nil,
            keepsMachineAwake: Bool? = nil,
            avoids: [Condition]? = nil,
            connectTimeout: Double? = nil,
            acceptsInvalidCertificates: Bool? = nil,
            maximumRedirects: Int? = nil,
            requiresTLS: Bool? = nil,
            maximumByteCount: Int64? = nil,
            minimumReceiveRate: Int64? = nil,
            cookies: [Cookie]? = nil
        ) {
            self.digests = digests
            self.mirrors = mirrors
            self.maximumConnections = maximumConnections
            self.receiveRate = receiveRate
            self.sendRate = sendRate
            self.retry = retry
            self.refusesErrorResponses = refusesErrorResponses
            self.holdsExpiredLinks = holdsExpiredLinks
            self.uploadProtocol = uploadProtocol
            self.directory = directory
            self.keepsMachineAwake = keepsMachineAwake
            self.avoids = avoids
            self.connectTimeout = connectTimeout
            self.acceptsInvalidCertificates = acceptsInvalidCertificates
            self.maximumRedirects = maximumRedirects
            self.requiresTLS = requiresTLS
            self.maximumByteCount = maximumByteCount
            self.minimumReceiveRate = minimumReceiveRate
            self.cookies = cookies
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("acceptsInvalidCertificates", acceptsInvalidCertificates)
                output.member("avoids", avoids)
                output.member("connectTimeout", connectTimeout)
                output.member("cookies", cookies)
                output.member("digests", digests)
                output.member("directory", directory)
                output.member("holdsExpiredLinks", holdsExpiredLinks)
                output.member("keepsMachineAwake", keepsMachineAwake)
                output.member("maximumByteCount", maximumByteCount)
                output.member("maximumConnections", maximumConnections)
                output.member("maximumRedirects", maximumRedirects)
                output.member("minimumReceiveRate", minimumReceiveRate)
                output.member("mirrors", mirrors)
                output.member("receiveRate", receiveRate)
                output.member("refusesErrorResponses", refusesErrorResponses)
                output.member("requiresTLS", requiresTLS)
                output.member("retry", retry)
                output.member("sendRate", sendRate)
                output.member("uploadProtocol", uploadProtocol)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var digests: [Digest]?
            var mirrors: [String]?
            var maximumConnections: Int?
            var receiveRate: Int64?
            var sendRate: Int64?
            var retry: RetryRules?
            var refusesErrorResponses: Bool?
            var holdsExpiredLinks: Bool?
            var uploadProtocol: UploadProtocol?
            var directory: String?
            var keepsMachineAwake: Bool?
            var avoids: [Condition]?
            var connectTimeout: Double?
            var acceptsInvalidCertificates: Bool?
            var maximumRedirects: Int?
            var requiresTLS: Bool?
            var maximumByteCount: Int64?
            var minimumReceiveRate: Int64?
            var cookies: [Cookie]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "digests": digests = try input.value()
                case "mirrors": mirrors = try input.value()
                case "maximumConnections": maximumConnections = try input.value()
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                case "retry": retry = try input.value()
                case "refusesErrorResponses": refusesErrorResponses = try input.value()
                case "holdsExpiredLinks": holdsExpiredLinks = try input.value()
                case "uploadProtocol": uploadProtocol = try input.value()
                case "directory": directory = try input.value()
                case "keepsMachineAwake": keepsMachineAwake = try input.value()
                case "avoids": avoids = try input.value()
                case "connectTimeout": connectTimeout = try input.value()
                case "acceptsInvalidCertificates": acceptsInvalidCertificates = try input.value()
                case "maximumRedirects": maximumRedirects = try input.value()
                case "requiresTLS": requiresTLS = try input.value()
                case "maximumByteCount": maximumByteCount = try input.value()
                case "minimumReceiveRate": minimumReceiveRate = try input.value()
                case "cookies": cookies = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                digests: digests,
                mirrors: mirrors,
                maximumConnections: maximumConnections,
                receiveRate: receiveRate,
                sendRate: sendRate,
                retry: retry,
                refusesErrorResponses: refusesErrorResponses,
                holdsExpiredLinks: holdsExpiredLinks,
                uploadProtocol: uploadProtocol,
                directory: directory,
                keepsMachineAwake: keepsMachineAwake,
                avoids: avoids,
                connectTimeout: connectTimeout,
                acceptsInvalidCertificates: acceptsInvalidCertificates,
                maximumRedirects: maximumRedirects,
                requiresTLS: requiresTLS,
                maximumByteCount: maximumByteCount,
                minimumReceiveRate: minimumReceiveRate,
                cookies: cookies
            )
        }
    }

    /// A cookie (RFC 6265).
    package struct Cookie: JSONCodable {
        /// The name.
        package var name: String
        /// The value.
        package var value: String
        /// The domain in lower case, without a leading dot.
        package var domain: String
        /// Whether it is for the domain itself, and not for what is below it.
        package var isForHostOnly: Bool
        /// The path under which it is sent.
        package var path: String
        /// When it ends; it has no end if that is missing.
        package var expiry: Date?
        /// Whether it is sent over secure connections only.
        package var isSecure: Bool
        /// Whether it is hidden from what is not HTTP.
        package var isHTTPOnly: Bool
        /// When it was made: of several, the older ones are sent first.
        package var created: Date

        /// Creates the value from its members.
        package init(
            name: String,
            value: String,
            domain: String,
            isForHostOnly: Bool,
            path: String,
            expiry: Date? = nil,
            isSecure: Bool,
            isHTTPOnly: Bool,
            created: Date
        ) {
            self.name = name
            self.value = value
            self.domain = domain
            self.isForHostOnly = isForHostOnly
            self.path = path
            self.expiry = expiry
            self.isSecure = isSecure
            self.isHTTPOnly = isHTTPOnly
            self.created = created
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("created", created)
                output.member("domain", domain)
                output.member("expiry", expiry)
                output.member("isForHostOnly", isForHostOnly)
                output.member("isHTTPOnly", isHTTPOnly)
                output.member("isSecure", isSecure)
                output.member("name", name)
                output.member("path", path)
                output.member("value", value)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var name: String?
            var value: String?
            var domain: String?
            var isForHostOnly: Bool?
            var path: String?
            var expiry: Date?
            var isSecure: Bool?
            var isHTTPOnly: Bool?
            var created: Date?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "name": name = try input.value()
                case "value": value = try input.value()
                case "domain": domain = try input.value()
                case "isForHostOnly": isForHostOnly = try input.value()
                case "path": path = try input.value()
                case "expiry": expiry = try input.value()
                case "isSecure": isSecure = try input.value()
                case "isHTTPOnly": isHTTPOnly = try input.value()
                case "created": created = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                name: try input.required(name, "name"),
                value: try input.required(value, "value"),
                domain: try input.required(domain, "domain"),
                isForHostOnly: try input.required(isForHostOnly, "isForHostOnly"),
                path: try input.required(path, "path"),
                expiry: expiry,
                isSecure: try input.required(isSecure, "isSecure"),
                isHTTPOnly: try input.required(isHTTPOnly, "isHTTPOnly"),
                created: try input.required(created, "created")
            )
        }
    }

    /// The failure of a transfer.
    package struct Failure: JSONCodable {
        /// The failure's class, for programs, such as timedOut.
        package var code: String
        /// A description for people.
        package var message: String

        /// Creates the value from its members.
        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("code", code)
                output.member("message", message)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var code: String?
            var message: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "code": code = try input.value()
                case "message": message = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                code: try input.required(code, "code"),
                message: try input.required(message, "message")
            )
        }
    }

    /// A challenge of a server or a proxy for a name and a password (RFC 9110).
    package struct PasswordChallenge: JSONCodable {
        /// The scheme in lower case: basic or digest.
        package var scheme: String
        /// The parameters by name in lower case, including the realm.
        package var parameters: [String: String]
        /// Whether the challenge is that of a proxy.
        package var isProxy: Bool

        /// Creates the value from its members.
        package init(scheme: String, parameters: [String: String], isProxy: Bool) {
            self.scheme = scheme
            self.parameters = parameters
            self.isProxy = isProxy
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("isProxy", isProxy)
                output.member("parameters", parameters)
                output.member("scheme", scheme)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var scheme: String?
            var parameters: [String: String]?
            var isProxy: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "scheme": scheme = try input.value()
                case "parameters": parameters = try input.value()
                case "isProxy": isProxy = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                scheme: try input.required(scheme, "scheme"),
                parameters: try input.required(parameters, "parameters"),
                isProxy: try input.required(isProxy, "isProxy")
            )
        }
    }

    /// The result of verifying a server's certificates.
    package enum CertificateVerdict: String, JSONEnumeration {
        /// A trusted authority vouches for them, and for this host.
        case trusted
        /// They have expired, or are not valid yet.
        case badDate
        /// No trusted authority vouches for them.
        case untrusted
        /// They are valid, but for another host.
        case forAnotherHost
    }

    /// The identity that a server claims.
    package struct ServerTrust: JSONCodable {
        /// The requested host.
        package var host: String
        /// The certificates (DER), the server's own first.
        package var certificates: [Data]
        /// The result of verifying them.
        package var verdict: CertificateVerdict
        /// The verdict's reason, for people: with badDate and untrusted.
        package var reason: String?

        /// Creates the value from its members.
        package init(
            host: String,
            certificates: [Data],
            verdict: CertificateVerdict,
            reason: String? = nil
        ) {
            self.host = host
            self.certificates = certificates
            self.verdict = verdict
            self.reason = reason
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("certificates", certificates)
                output.member("host", host)
                output.member("reason", reason)
                output.member("verdict", verdict)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var host: String?
            var certificates: [Data]?
            var verdict: CertificateVerdict?
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "host": host = try input.value()
                case "certificates": certificates = try input.value()
                case "verdict": verdict = try input.value()
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                host: try input.required(host, "host"),
                certificates: try input.required(certificates, "certificates"),
                verdict: try input.required(verdict, "verdict"),
                reason: reason
            )
        }
    }

    /// A server's request for a certificate of its client (RFC 8446 §4.3.2).
    package struct CertificateRequest: JSONCodable {
        /// The requested host.
        package var host: String
        /// The names of the authorities (DER) that the server trusts for this; empty if it does not say.
        package var issuers: [Data]

        /// Creates the value from its members.
        package init(host: String, issuers: [Data]) {
            self.host = host
            self.issuers = issuers
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("host", host)
                output.member("issuers", issuers)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var host: String?
            var issuers: [Data]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "host": host = try input.value()
                case "issuers": issuers = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                host: try input.required(host, "host"),
                issuers: try input.required(issuers, "issuers")
            )
        }
    }

    /// A challenge of a server or a proxy: one of password, trust and certificate.
    package struct Challenge: JSONCodable {
        /// The origin of the request, such as https://example.org:443.
        package var origin: String
        /// The number of answers to the same question that were refused in this attempt.
        package var previousFailureCount: Int
        /// The response with the challenge; a handshake has none.
        package var response: HTTPResponseHead?
        /// The challenge for a name and a password.
        package var password: PasswordChallenge?
        /// The challenge to decide whether to trust the server.
        package var trust: ServerTrust?
        /// The challenge for a certificate of the client.
        package var certificate: CertificateRequest?

        /// Creates the value from its members.
        package init(
            origin: String,
            previousFailureCount: Int,
            response: HTTPResponseHead? = nil,
            password: PasswordChallenge? = nil,
            trust: ServerTrust? = nil,
            certificate: CertificateRequest? = nil
        ) {
            self.origin = origin
            self.previousFailureCount = previousFailureCount
            self.response = response
            self.password = password
            self.trust = trust
            self.certificate = certificate
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("certificate", certificate)
                output.member("origin", origin)
                output.member("password", password)
                output.member("previousFailureCount", previousFailureCount)
                output.member("response", response)
                output.member("trust", trust)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var origin: String?
            var previousFailureCount: Int?
            var response: HTTPResponseHead?
            var password: PasswordChallenge?
            var trust: ServerTrust?
            var certificate: CertificateRequest?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "origin": origin = try input.value()
                case "previousFailureCount": previousFailureCount = try input.value()
                case "response": response = try input.value()
                case "password": password = try input.value()
                case "trust": trust = try input.value()
                case "certificate": certificate = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                origin: try input.required(origin, "origin"),
                previousFailureCount: try input.required(
                    previousFailureCount,
                    "previousFailureCount"
                ),
                response: response,
                password: password,
                trust: trust,
                certificate: certificate
            )
        }
    }

    /// How to handle a challenge.
    package enum ChallengeDisposition: String, JSONEnumeration {
        /// Use the name and password, or the identity, or trust the server.
        case use
        /// Continue as if the application could not be asked.
        case goOn
        /// Try the next method that the other side offers.
        case reject
        /// Fail the task as cancelled.
        case cancel
    }

    /// The format of an identity.
    package enum IdentityFormat: String, JSONEnumeration {
        /// PEM: the certificate, the certificates that vouch for it, the key.
        case pem
        /// PKCS #12 (RFC 7292).
        case pkcs12
    }

    /// A certificate and its key, with which a client authenticates.
    ///
    /// It is never stored.
    package struct Identity: JSONCodable {
        /// The format of the content.
        package var format: IdentityFormat
        /// The certificate and the key.
        package var content: Data
        /// The passphrase of the key.
        package var passphrase: String?

        /// Creates the value from its members.
        package init(format: IdentityFormat, content: Data, passphrase: String? = nil) {
            self.format = format
            self.content = content
            self.passphrase = passphrase
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("content", content)
                output.member("format", format)
                output.member("passphrase", passphrase)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var format: IdentityFormat?
            var content: Data?
            var passphrase: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "format": format = try input.value()
                case "content": content = try input.value()
                case "passphrase": passphrase = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                format: try input.required(format, "format"),
                content: try input.required(content, "content"),
                passphrase: passphrase
            )
        }
    }

    /// The file that a task sends.
    package struct Upload: JSONCodable {
        /// The size of the file in bytes.
        package var byteCount: Int64
        /// The number of bytes sent in the latest attempt.
        package var sentByteCount: Int64

        /// Creates the value from its members.
        package init(byteCount: Int64, sentByteCount: Int64) {
            self.byteCount = byteCount
            self.sentByteCount = sentByteCount
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("byteCount", byteCount)
                output.member("sentByteCount", sentByteCount)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var byteCount: Int64?
            var sentByteCount: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "byteCount": byteCount = try input.value()
                case "sentByteCount": sentByteCount = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                byteCount: try input.required(byteCount, "byteCount"),
                sentByteCount: try input.required(sentByteCount, "sentByteCount")
            )
        }
    }

    /// The state of a task.
    package enum TaskState: String, JSONEnumeration {
        /// Its application has not resumed it, or suspended it.
        case suspended
        /// It may run, and waits for its turn.
        case waiting
        /// It loads.
        case running
        /// It is done; its events have not all been acknowledged.
        case completed
    }

    /// A transfer in its current state.
    package struct Task: JSONCodable {
        /// The task's number, unique for this user's daemon.
        package var id: Int64
        /// The identifier of the application that the task belongs to.
        package var application: String
        /// The identifier of the session that the task belongs to.
        package var session: String
        /// The task's number in its session.
        package var identifier: Int
        /// The state of the task.
        package var state: TaskState
        /// The application's description of the task.
        package var description: String?
        /// The priority of the task among its session's, from 0 to 1.
        package var priority: Double
        /// The request that the task was created with.
        package var originalRequest: Encoded<Request>
        /// The request after redirects, if different.
        package var currentRequest: Encoded<Request>?
        /// The latest response.
        package var response: Encoded<HTTPResponseHead>?
        /// The number of bytes of the body that are held.
        package var receivedByteCount: Int64
        /// The size of the body in bytes, if known.
        package var expectedByteCount: Int64?
        /// The file that it sends, if it is an upload.
        package var upload: Upload?
        /// The reason why the task does not run, while it waits.
        package var wait: Wait?
        /// The last failure.
        package var failure: Failure?
        /// The number of failed attempts since there were last more bytes than ever.
        package var attempts: Int
        /// When the task was created.
        package var created: Date
        /// The date before which it was not to begin.
        package var earliestBegin: Date?
        /// Its options, if its application has set them.
        package var options: TransferOptions?
        /// The address that has taken the place of that of the original request, if there is one.
        package var link: String?
        /// How many bytes per second it has received or sent lately, while it runs.
        package var bytesPerSecond: Int?

        /// Creates the value from its members.
        package init(
            id: Int64,
            application: String,
            session: String,
            identifier: Int,
            state: TaskState,
            description: String? = nil,
            priority: Double,
            originalRequest: Encoded<Request>,
            currentRequest: Encoded<Request>? = nil,
            response: Encoded<HTTPResponseHead>? = nil,
            receivedByteCount: Int64,
            expectedByteCount: Int64? = nil,
            upload: Upload? = nil,
            wait: Wait? = nil,
            failure: Failure? = nil,
            attempts: Int,
            created: Date,
            earliestBegin: Date? = nil,
            options: TransferOptions? = nil,
            link: String? = nil,
            bytesPerSecond: Int? = nil
        ) {
            self.id = id
            self.application = application
            self.session = session
            self.identifier = identifier
            self.state = state
            self.description = description
            self.priority = priority
            self.originalRequest = originalRequest
            self.currentRequest = currentRequest
            self.response = response
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.upload = upload
            self.wait = wait
            self.failure = failure
            self.attempts = attempts
            self.created = created
            self.earliestBegin = earliestBegin
            self.options = options
            self.link = link
            self.bytesPerSecond = bytesPerSecond
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("application", application)
                output.member("attempts", attempts)
                output.member("bytesPerSecond", bytesPerSecond)
                output.member("created", created)
                output.member("currentRequest", currentRequest)
                output.member("description", description)
                output.member("earliestBegin", earliestBegin)
                output.member("expectedByteCount", expectedByteCount)
                output.member("failure", failure)
                output.member("id", id)
                output.member("identifier", identifier)
                output.member("link", link)
                output.member("options", options)
                output.member("originalRequest", originalRequest)
                output.member("priority", priority)
                output.member("receivedByteCount", receivedByteCount)
                output.member("response", response)
                output.member("session", session)
                output.member("state", state)
                output.member("upload", upload)
                output.member("wait", wait)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var application: String?
            var session: String?
            var identifier: Int?
            var state: TaskState?
            var description: String?
            var priority: Double?
            var originalRequest: Encoded<Request>?
            var currentRequest: Encoded<Request>?
            var response: Encoded<HTTPResponseHead>?
            var receivedByteCount: Int64?
            var expectedByteCount: Int64?
            var upload: Upload?
            var wait: Wait?
            var failure: Failure?
            var attempts: Int?
            var created: Date?
            var earliestBegin: Date?
            var options: TransferOptions?
            var link: String?
            var bytesPerSecond: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "application": application = try input.value()
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "state": state = try input.value()
                case "description": description = try input.value()
                case "priority": priority = try input.value()
                case "originalRequest": originalRequest = try input.value()
                case "currentRequest": currentRequest = try input.value()
                case "response": response = try input.value()
                case "receivedByteCount": receivedByteCount = try input.value()
                case "expectedByteCount": expectedByteCount = try input.value()
                case "upload": upload = try input.value()
                case "wait": wait = try input.value()
                case "failure": failure = try input.value()
                case "attempts": attempts = try input.value()
                case "created": created = try input.value()
                case "earliestBegin": earliestBegin = try input.value()
                case "options": options = try input.value()
                case "link": link = try input.value()
                case "bytesPerSecond": bytesPerSecond = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                id: try input.required(id, "id"),
                application: try input.required(application, "application"),
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                state: try input.required(state, "state"),
                description: description,
                priority: try input.required(priority, "priority"),
                originalRequest: try input.required(originalRequest, "originalRequest"),
                currentRequest: currentRequest,
                response: response,
                receivedByteCount: try input.required(receivedByteCount, "receivedByteCount"),
                expectedByteCount: expectedByteCount,
                upload: upload,
                wait: wait,
                failure: failure,
                attempts: try input.required(attempts, "attempts"),
                created: try input.required(created, "created"),
                earliestBegin: earliestBegin,
                options: options,
                link: link,
                bytesPerSecond: bytesPerSecond
            )
        }
    }

    /// What a list shows of a task.
    package struct TaskSummary: JSONCodable {
        /// The task's number, unique for this user's daemon.
        package var id: Int64
        /// The identifier of the application that the task belongs to.
        package var application: String
        /// The state of the task.
        package var state: TaskState
        /// The application's description of the task.
        package var description: String?
        /// The address of the request that the task was created with.
        package var url: String
        /// The address that has taken the place of that one, if there is one.
        package var link: String?
        /// The status code of the latest response.
        package var status: Int?
        /// The value of the latest response's Content-Disposition field.
        package var disposition: String?
        /// The number of bytes of the body that are held.
        package var receivedByteCount: Int64
        /// The size of the body in bytes, if known.
        package var expectedByteCount: Int64?
        /// The file that it sends, if it is an upload.
        package var upload: Upload?
        /// The reason why the task does not run, while it waits.
        package var wait: Encoded<Wait>?
        /// The last failure.
        package var failure: Failure?
        /// How many bytes per second it has received or sent lately, while it runs.
        package var bytesPerSecond: Int?
        /// Whether any certificate of its server is accepted.
        package var acceptsInvalidCertificates: Bool?

        /// Creates the value from its members.
        package init(
            id: Int64,
            application: String,
            state: TaskState,
            description: String? = nil,
            url: String,
            link: String? = nil,
            status: Int? = nil,
            disposition: String? = nil,
            receivedByteCount: Int64,
            expectedByteCount: Int64? = nil,
            upload: Upload? = nil,
            wait: Encoded<Wait>? = nil,
            failure: Failure? = nil,
            bytesPerSecond: Int? = nil,
            acceptsInvalidCertificates: Bool? = nil
        ) {
            self.id = id
            self.application = application
            self.state = state
            self.description = description
            self.url = url
            self.link = link
            self.status = status
            self.disposition = disposition
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.upload = upload
            self.wait = wait
            self.failure = failure
            self.bytesPerSecond = bytesPerSecond
            self.acceptsInvalidCertificates = acceptsInvalidCertificates
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("acceptsInvalidCertificates", acceptsInvalidCertificates)
                output.member("application", application)
                output.member("bytesPerSecond", bytesPerSecond)
                output.member("description", description)
                output.member("disposition", disposition)
                output.member("expectedByteCount", expectedByteCount)
                output.member("failure", failure)
                output.member("id", id)
                output.member("link", link)
                output.member("receivedByteCount", receivedByteCount)
                output.member("state", state)
                output.member("status", status)
                output.member("upload", upload)
                output.member("url", url)
                output.member("wait", wait)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var application: String?
            var state: TaskState?
            var description: String?
            var url: String?
            var link: String?
            var status: Int?
            var disposition: String?
            var receivedByteCount: Int64?
            var expectedByteCount: Int64?
            var upload: Upload?
            var wait: Encoded<Wait>?
            var failure: Failure?
            var bytesPerSecond: Int?
            var acceptsInvalidCertificates: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "application": application = try input.value()
                case "state": state = try input.value()
                case "description": description = try input.value()
                case "url": url = try input.value()
                case "link": link = try input.value()
                case "status": status = try input.value()
                case "disposition": disposition = try input.value()
                case "receivedByteCount": receivedByteCount = try input.value()
                case "expectedByteCount": expectedByteCount = try input.value()
                case "upload": upload = try input.value()
                case "wait": wait = try input.value()
                case "failure": failure = try input.value()
                case "bytesPerSecond": bytesPerSecond = try input.value()
                case "acceptsInvalidCertificates": acceptsInvalidCertificates = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                id: try input.required(id, "id"),
                application: try input.required(application, "application"),
                state: try input.required(state, "state"),
                description: description,
                url: try input.required(url, "url"),
                link: link,
                status: status,
                disposition: disposition,
                receivedByteCount: try input.required(receivedByteCount, "receivedByteCount"),
                expectedByteCount: expectedByteCount,
                upload: upload,
                wait: wait,
                failure: failure,
                bytesPerSecond: bytesPerSecond,
                acceptsInvalidCertificates: acceptsInvalidCertificates
            )
        }
    }

    /// A transfer that has ended and whose application has taken note of that, as the daemon remembers it.
    package struct EndedTask: JSONCodable {
        /// The task's number.
        package var id: Int64
        /// The identifier of the application that the task belonged to.
        package var application: String
        /// The identifier of the session that the task belonged to.
        package var session: String
        /// The task's number in its session.
        package var identifier: Int
        /// The application's description of the task, unless it is long.
        package var description: String?
        /// The address that was requested, without user, password, query and fragment.
        package var url: String
        /// The status of the last response.
        package var status: Int?
        /// The number of bytes of the body that were received.
        package var receivedByteCount: Int64
        /// The size of the body in bytes, if it was known.
        package var expectedByteCount: Int64?
        /// The file that it has sent, if it was an upload.
        package var upload: Upload?
        /// The reason why it ended, unless it succeeded.
        package var failure: Failure?
        /// When the task was created.
        package var created: Date
        /// When it ended.
        package var ended: Date
        /// The absolute path to which the application has moved the file, if it has said so.
        package var path: String?
        /// Whether the file was deleted, as the user wanted, before the application had taken it.
        package var discarded: Bool?
        /// The digests that the file was found to have; missing if none was asked for, or it failed.
        package var digests: [Digest]?

        /// Creates the value from its members.
        package init(
            id: Int64,
            application: String,
            session: String,
            identifier: Int,
            description: String? = nil,
            url: String,
            status: Int? = nil,
            receivedByteCount: Int64,
            expectedByteCount: Int64? = nil,
            upload: Upload? = nil,
            failure: Failure? = nil,
            created: Date,
            ended: Date,
            path: String? = nil,
            discarded: Bool? = nil,
            digests: [Digest]? = nil
        ) {
            self.id = id
            self.application = application
            self.session = session
            self.identifier = identifier
            self.description = description
            self.url = url
            self.status = status
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.upload = upload
            self.failure = failure
            self.created = created
            self.ended = ended
            self.path = path
            self.discarded = discarded
            self.digests = digests
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("application", application)
                output.member("created", created)
                output.member("description", description)
                output.member("digests", digests)
                output.member("discarded", discarded)
                output.member("ended", ended)
                output.member("expectedByteCount", expectedByteCount)
                output.member("failure", failure)
                output.member("id", id)
                output.member("identifier", identifier)
                output.member("path", path)
                output.member("receivedByteCount", receivedByteCount)
                output.member("session", session)
                output.member("status", status)
                output.member("upload", upload)
                output.member("url", url)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var application: String?
            var session: String?
            var identifier: Int?
            var description: String?
            var url: String?
            var status: Int?
            var receivedByteCount: Int64?
            var expectedByteCount: Int64?
            var upload: Upload?
            var failure: Failure?
            var created: Date?
            var ended: Date?
            var path: String?
            var discarded: Bool?
            var digests: [Digest]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "application": application = try input.value()
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "description": description = try input.value()
                case "url": url = try input.value()
                case "status": status = try input.value()
                case "receivedByteCount": receivedByteCount = try input.value()
                case "expectedByteCount": expectedByteCount = try input.value()
                case "upload": upload = try input.value()
                case "failure": failure = try input.value()
                case "created": created = try input.value()
                case "ended": ended = try input.value()
                case "path": path = try input.value()
                case "discarded": discarded = try input.value()
                case "digests": digests = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                id: try input.required(id, "id"),
                application: try input.required(application, "application"),
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                description: description,
                url: try input.required(url, "url"),
                status: status,
                receivedByteCount: try input.required(receivedByteCount, "receivedByteCount"),
                expectedByteCount: expectedByteCount,
                upload: upload,
                failure: failure,
                created: try input.required(created, "created"),
                ended: try input.required(ended, "ended"),
                path: path,
                discarded: discarded,
                digests: digests
            )
        }
    }

    /// Where an application has put a file.
    package struct SavedFile: JSONCodable {
        /// The sequence of the event with which the file was delivered.
        package var sequence: Int64
        /// The absolute path of the file.
        package var path: String

        /// Creates the value from its members.
        package init(sequence: Int64, path: String) {
            self.sequence = sequence
            self.path = path
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("path", path)
                output.member("sequence", sequence)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var sequence: Int64?
            var path: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "sequence": sequence = try input.value()
                case "path": path = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                sequence: try input.required(sequence, "sequence"),
                path: try input.required(path, "path")
            )
        }
    }

    /// The kind of an event.
    package enum EventKind: String, JSONEnumeration {
        /// The head of a response arrived.
        case response
        /// The download continues where an earlier attempt stopped.
        case resumed
        /// Bytes arrived, or were sent; only the latest figures are reported, at most ten times a second.
        case progress
        /// The task is over; nothing follows for it.
        ///
        /// If it succeeded, its file is available; an upload's is the body of the response.
        case completed
        /// A server or a proxy has a challenge: AnswerChallenge answers it.
        case challenged
        /// The date at which the task was to begin has come: Begin starts it, Cancel ends it.
        case delayed
        /// The server's response says that the task's address has expired: Relink answers.
        case expired
        /// All past events have been sent; from here on events are sent as they happen.
        case drained
        /// None of these: never sent, but a reader takes an event of a newer daemon that it does not know for
        /// this.
        case other

        /// A case of a newer version that this one does not know.
        package static var unknown: Self? { .other }
    }

    /// A request that a task has made, and its metrics.
    package struct Transaction: JSONCodable {
        /// Whether its request and response are those that the task ends with; then they are left out here.
        package var isLast: Bool
        /// The request, without credentials.
        package var request: Request?
        /// The response, if one was received.
        package var response: HTTPResponseHead?
        /// When it began; the times that follow are microseconds after that.
        package var started: Date
        /// When the lookup of the host's name began.
        package var lookupStart: Int?
        /// When its address was known.
        package var lookupEnd: Int?
        /// When the client began to connect.
        package var connectStart: Int?
        /// When the TLS handshake began.
        package var secureConnectStart: Int?
        /// When the TLS handshake ended.
        package var secureConnectEnd: Int?
        /// When the connection was ready for the request.
        package var connectEnd: Int?
        /// When the client began to send the request.
        package var requestStart: Int?
        /// When its last byte was sent.
        package var requestEnd: Int?
        /// When the first byte of the response was received.
        package var responseStart: Int?
        /// When the exchange ended.
        package var responseEnd: Int?
        /// Whether the connection had been used before.
        package var isReusedConnection: Bool
        /// This machine's address, where there was a connection.
        package var localAddress: String?
        /// This machine's port, where there was a connection.
        package var localPort: Int?
        /// The other end's address, where there was a connection.
        package var remoteAddress: String?
        /// The other end's port, where there was a connection.
        package var remotePort: Int?
        /// The version of TLS, by the protocol's number; missing without TLS.
        package var tlsVersion: Int?
        /// The cipher suite of TLS, by IANA's number; missing without TLS.
        package var tlsCipherSuite: Int?
        /// The protocol's version, such as HTTP/1.1, if a response was received.
        package var version: String?
        /// The size of the request's header.
        package var sentHeaderByteCount: Int64
        /// The size of the request's body, as far as it was sent.
        package var sentBodyByteCount: Int64
        /// The size of the response's header.
        package var receivedHeaderByteCount: Int64
        /// The size of the response's body, before it was decoded.
        package var receivedBodyByteCount: Int64
        /// The size of the response's body, decoded.
        package var decodedBodyByteCount: Int64
        /// Whether the network was cellular when the request was sent; missing if not, or not known.
        package var isCellular: Bool?
        /// Whether the network was expensive when the request was sent; missing if not, or not known.
        package var isExpensive: Bool?
        /// Whether few bytes were wanted on the network when the request was sent; missing if not, or not
        /// known.
        package var isConstrained: Bool?

        /// Creates the value from its members.
        package init(
            isLast: Bool,
            request: Request? = nil,
            response: HTTPResponseHead? = nil,
            started: Date,
            lookupStart: Int? = nil,
            lookupEnd: Int? = nil,
            connectStart: Int? = nil,
            secureConnectStart: Int? = nil,
            secureConnectEnd: Int? = nil,
            connectEnd: Int? = nil,
            requestStart: Int? = nil,
            requestEnd: Int? = nil,
            responseStart: Int? = nil,
            responseEnd: Int? = nil,
            isReusedConnection: Bool,
            localAddress: String? = nil,
            localPort: Int? = nil,
            remoteAddress: String? = nil,
            remotePort: Int? = nil,
            tlsVersion: Int? = nil,
            tlsCipherSuite: Int? = nil,
            version: String? = nil,
            sentHeaderByteCount: Int64,
            sentBodyByteCount: Int64,
            receivedHeaderByteCount: Int64,
            receivedBodyByteCount: Int64,
            decodedBodyByteCount: Int64,
            isCellular: Bool? = nil,
            isExpensive: Bool? = nil,
            isConstrained: Bool? = nil
        ) {
            self.isLast = isLast
            self.request = request
            self.response = response
            self.started = started
            self.lookupStart = lookupStart
            self.lookupEnd = lookupEnd
            self.connectStart = connectStart
            self.secureConnectStart = secureConnectStart
            self.secureConnectEnd = secureConnectEnd
            self.connectEnd = connectEnd
            self.requestStart = requestStart
            self.requestEnd = requestEnd
            self.responseStart = responseStart
            self.responseEnd = responseEnd
            self.isReusedConnection = isReusedConnection
            self.localAddress = localAddress
            self.localPort = localPort
            self.remoteAddress = remoteAddress
            self.remotePort = remotePort
            self.tlsVersion = tlsVersion
            self.tlsCipherSuite = tlsCipherSuite
            self.version = version
            self.sentHeaderByteCount = sentHeaderByteCount
            self.sentBodyByteCount = sentBodyByteCount
            self.receivedHeaderByteCount = receivedHeaderByteCount
            self.receivedBodyByteCount = receivedBodyByteCount
            self.decodedBodyByteCount = decodedBodyByteCount
            self.isCellular = isCellular
            self.isExpensive = isExpensive
            self.isConstrained = isConstrained
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("connectEnd", connectEnd)
                output.member("connectStart", connectStart)
                output.member("decodedBodyByteCount", decodedBodyByteCount)
                output.member("isCellular", isCellular)
                output.member("isConstrained", isConstrained)
                output.member("isExpensive", isExpensive)
                output.member("isLast", isLast)
                output.member("isReusedConnection", isReusedConnection)
                output.member("localAddress", localAddress)
                output.member("localPort", localPort)
                output.member("lookupEnd", lookupEnd)
                output.member("lookupStart", lookupStart)
                output.member("receivedBodyByteCount", receivedBodyByteCount)
                output.member("receivedHeaderByteCount", receivedHeaderByteCount)
                output.member("remoteAddress", remoteAddress)
                output.member("remotePort", remotePort)
                output.member("request", request)
                output.member("requestEnd", requestEnd)
                output.member("requestStart", requestStart)
                output.member("response", response)
                output.member("responseEnd", responseEnd)
                output.member("responseStart", responseStart)
                output.member("secureConnectEnd", secureConnectEnd)
                output.member("secureConnectStart", secureConnectStart)
                output.member("sentBodyByteCount", sentBodyByteCount)
                output.member("sentHeaderByteCount", sentHeaderByteCount)
                output.member("started", started)
                output.member("tlsCipherSuite", tlsCipherSuite)
                output.member("tlsVersion", tlsVersion)
                output.member("version", version)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var isLast: Bool?
            var request: Request?
            var response: HTTPResponseHead?
            var started: Date?
            var lookupStart: Int?
            var lookupEnd: Int?
            var connectStart: Int?
            var secureConnectStart: Int?
            var secureConnectEnd: Int?
            var connectEnd: Int?
            var requestStart: Int?
            var requestEnd: Int?
            var responseStart: Int?
            var responseEnd: Int?
            var isReusedConnection: Bool?
            var localAddress: String?
            var localPort: Int?
            var remoteAddress: String?
            var remotePort: Int?
            var tlsVersion: Int?
            var tlsCipherSuite: Int?
            var version: String?
            var sentHeaderByteCount: Int64?
            var sentBodyByteCount: Int64?
            var receivedHeaderByteCount: Int64?
            var receivedBodyByteCount: Int64?
            var decodedBodyByteCount: Int64?
            var isCellular: Bool?
            var isExpensive: Bool?
            var isConstrained: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "isLast": isLast = try input.value()
                case "request": request = try input.value()
                case "response": response = try input.value()
                case "started": started = try input.value()
                case "lookupStart": lookupStart = try input.value()
                case "lookupEnd": lookupEnd = try input.value()
                case "connectStart": connectStart = try input.value()
                case "secureConnectStart": secureConnectStart = try input.value()
                case "secureConnectEnd": secureConnectEnd = try input.value()
                case "connectEnd": connectEnd = try input.value()
                case "requestStart": requestStart = try input.value()
                case "requestEnd": requestEnd = try input.value()
                case "responseStart": responseStart = try input.value()
                case "responseEnd": responseEnd = try input.value()
                case "isReusedConnection": isReusedConnection = try input.value()
                case "localAddress": localAddress = try input.value()
                case "localPort": localPort = try input.value()
                case "remoteAddress": remoteAddress = try input.value()
                case "remotePort": remotePort = try input.value()
                case "tlsVersion": tlsVersion = try input.value()
                case "tlsCipherSuite": tlsCipherSuite = try input.value()
                case "version": version = try input.value()
                case "sentHeaderByteCount": sentHeaderByteCount = try input.value()
                case "sentBodyByteCount": sentBodyByteCount = try input.value()
                case "receivedHeaderByteCount": receivedHeaderByteCount = try input.value()
                case "receivedBodyByteCount": receivedBodyByteCount = try input.value()
                case "decodedBodyByteCount": decodedBodyByteCount = try input.value()
                case "isCellular": isCellular = try input.value()
                case "isExpensive": isExpensive = try input.value()
                case "isConstrained": isConstrained = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                isLast: try input.required(isLast, "isLast"),
                request: request,
                response: response,
                started: try input.required(started, "started"),
                lookupStart: lookupStart,
                lookupEnd: lookupEnd,
                connectStart: connectStart,
                secureConnectStart: secureConnectStart,
                secureConnectEnd: secureConnectEnd,
                connectEnd: connectEnd,
                requestStart: requestStart,
                requestEnd: requestEnd,
                responseStart: responseStart,
                responseEnd: responseEnd,
                isReusedConnection: try input.required(isReusedConnection, "isReusedConnection"),
                localAddress: localAddress,
                localPort: localPort,
                remoteAddress: remoteAddress,
                remotePort: remotePort,
                tlsVersion: tlsVersion,
                tlsCipherSuite: tlsCipherSuite,
                version: version,
                sentHeaderByteCount: try input.required(sentHeaderByteCount, "sentHeaderByteCount"),
                sentBodyByteCount: try input.required(sentBodyByteCount, "sentBodyByteCount"),
                receivedHeaderByteCount: try input.required(
                    receivedHeaderByteCount,
                    "receivedHeaderByteCount"
                ),
                receivedBodyByteCount: try input.required(
                    receivedBodyByteCount,
                    "receivedBodyByteCount"
                ),
                decodedBodyByteCount: try input.required(
                    decodedBodyByteCount,
                    "decodedBodyByteCount"
                ),
                isCellular: isCellular,
                isExpensive: isExpensive,
                isConstrained: isConstrained
            )
        }
    }

    /// The metrics of a task.
    package struct TaskMetrics: JSONCodable {
        /// When the task was created.
        package var started: Date
        /// When it ended.
        package var ended: Date
        /// The number of redirects that were followed in the last attempt.
        package var redirectCount: Int
        /// The requests of the last attempt, in order.
        package var transactions: [Transaction]

        /// Creates the value from its members.
        package init(started: Date, ended: Date, redirectCount: Int, transactions: [Transaction]) {
            self.started = started
            self.ended = ended
            self.redirectCount = redirectCount
            self.transactions = transactions
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("ended", ended)
                output.member("redirectCount", redirectCount)
                output.member("started", started)
                output.member("transactions", transactions)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var started: Date?
            var ended: Date?
            var redirectCount: Int?
            var transactions: [Transaction]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "started": started = try input.value()
                case "ended": ended = try input.value()
                case "redirectCount": redirectCount = try input.value()
                case "transactions": transactions = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                started: try input.required(started, "started"),
                ended: try input.required(ended, "ended"),
                redirectCount: try input.required(redirectCount, "redirectCount"),
                transactions: try input.required(transactions, "transactions")
            )
        }
    }

    /// An event of a session, for its owner.
    package struct Event: JSONCodable {
        /// The kind of event, which determines the other members.
        package var kind: EventKind
        /// The number for Acknowledge: with completed.
        package var sequence: Int64?
        /// The task's number in its session; all but drained have it.
        package var task: Int?
        /// The response: with response, expired and completed.
        package var response: Encoded<HTTPResponseHead>?
        /// The request after redirects, if different, with the response; the request that would be sent, with
        /// delayed.
        package var request: Request?
        /// The number of bytes that were held already: with resumed.
        package var offset: Int64?
        /// The number of bytes of the body that are held: with progress and completed.
        package var receivedByteCount: Int64?
        /// The size of the body in bytes, if known.
        package var expectedByteCount: Int64?
        /// The number of bytes of its file that an upload has sent: with progress and completed.
        package var sentByteCount: Int64?
        /// The number of bytes that have arrived of a body that is decoded, in its coding: with progress, if
        /// its length in the coding is known.
        package var codedByteCount: Int64?
        /// That length.
        package var expectedCodedByteCount: Int64?
        /// The finished file's absolute path, valid until the event is acknowledged: with completed.
        package var path: String?
        /// What the directory of the finished file is recognized by.
        ///
        /// A client that finds another one at the path is elsewhere, or the file's disk is missing.
        package var directoryIdentity: String?
        /// The failure: with completed, unless the task succeeded.
        package var failure: Failure?
        /// The data from which the transfer can be continued: with completed.
        package var resumeData: Data?
        /// The reason why it cannot be continued, for programs, such as noValidator: with completed, if resume
        /// data was wanted.
        package var resumeDataRefusal: String?
        /// The reason why the system cancelled the task, by Apple's numbers: with completed.
        package var cancelReason: Int?
        /// The question's number, which distinguishes it from later ones of the task: with challenged, delayed,
        /// expired.
        ///
        /// A question is sent again over each new subscription until it is answered.
        package var question: Int?
        /// The challenge: with challenged.
        package var challenge: Challenge?
        /// The metrics of the task: with completed, if the session wants them.
        package var metrics: Encoded<TaskMetrics>?

        /// Creates the value from its members.
        package init(
            kind: EventKind,
            sequence: Int64? = nil,
            task: Int? = nil,
            response: Encoded<HTTPResponseHead>? = nil,
            request: Request? = nil,
            offset: Int64? = nil,
            receivedByteCount: Int64? = nil,
            expectedByteCount: Int64? = nil,
            sentByteCount: Int64? = nil,
            codedByteCount: Int64? = nil,
            expectedCodedByteCount: Int64? = nil,
            path: String? = nil,
            directoryIdentity: String? = nil,
            failure: Failure? = nil,
            resumeData: Data? = nil,
            resumeDataRefusal: String? = nil,
            cancelReason: Int? = nil,
            question: Int? = nil,
            challenge: Challenge? = nil,
            metrics: Encoded<TaskMetrics>? = nil
        ) {
            self.kind = kind
            self.sequence = sequence
            self.task = task
            self.response = response
            self.request = request
            self.offset = offset
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.sentByteCount = sentByteCount
            self.codedByteCount = codedByteCount
            self.expectedCodedByteCount = expectedCodedByteCount
            self.path = path
            self.directoryIdentity = directoryIdentity
            self.failure = failure
            self.resumeData = resumeData
            self.resumeDataRefusal = resumeDataRefusal
            self.cancelReason = cancelReason
            self.question = question
            self.challenge = challenge
            self.metrics = metrics
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("cancelReason", cancelReason)
                output.member("challenge", challenge)
                output.member("codedByteCount", codedByteCount)
                output.member("directoryIdentity", directoryIdentity)
                output.member("expectedByteCount", expectedByteCount)
                output.member("expectedCodedByteCount", expectedCodedByteCount)
                output.member("failure", failure)
                output.member("kind", kind)
                output.member("metrics", metrics)
                output.member("offset", offset)
                output.member("path", path)
                output.member("question", question)
                output.member("receivedByteCount", receivedByteCount)
                output.member("request", request)
                output.member("response", response)
                output.member("resumeData", resumeData)
                output.member("resumeDataRefusal", resumeDataRefusal)
                output.member("sentByteCount", sentByteCount)
                output.member("sequence", sequence)
                output.member("task", task)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var kind: EventKind?
            var sequence: Int64?
            var task: Int?
            var response: Encoded<HTTPResponseHead>?
            var request: Request?
            var offset: Int64?
            var receivedByteCount: Int64?
            var expectedByteCount: Int64?
            var sentByteCount: Int64?
            var codedByteCount: Int64?
            var expectedCodedByteCount: Int64?
            var path: String?
            var directoryIdentity: String?
            var failure: Failure?
            var resumeData: Data?
            var resumeDataRefusal: String?
            var cancelReason: Int?
            var question: Int?
            var challenge: Challenge?
            var metrics: Encoded<TaskMetrics>?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "kind": kind = try input.value()
                case "sequence": sequence = try input.value()
                case "task": task = try input.value()
                case "response": response = try input.value()
                case "request": request = try input.value()
                case "offset": offset = try input.value()
                case "receivedByteCount": receivedByteCount = try input.value()
                case "expectedByteCount": expectedByteCount = try input.value()
                case "sentByteCount": sentByteCount = try input.value()
                case "codedByteCount": codedByteCount = try input.value()
                case "expectedCodedByteCount": expectedCodedByteCount = try input.value()
                case "path": path = try input.value()
                case "directoryIdentity": directoryIdentity = try input.value()
                case "failure": failure = try input.value()
                case "resumeData": resumeData = try input.value()
                case "resumeDataRefusal": resumeDataRefusal = try input.value()
                case "cancelReason": cancelReason = try input.value()
                case "question": question = try input.value()
                case "challenge": challenge = try input.value()
                case "metrics": metrics = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                kind: try input.required(kind, "kind"),
                sequence: sequence,
                task: task,
                response: response,
                request: request,
                offset: offset,
                receivedByteCount: receivedByteCount,
                expectedByteCount: expectedByteCount,
                sentByteCount: sentByteCount,
                codedByteCount: codedByteCount,
                expectedCodedByteCount: expectedCodedByteCount,
                path: path,
                directoryIdentity: directoryIdentity,
                failure: failure,
                resumeData: resumeData,
                resumeDataRefusal: resumeDataRefusal,
                cancelReason: cancelReason,
                question: question,
                challenge: challenge,
                metrics: metrics
            )
        }
    }

    /// An application that the daemon starts when its transfers need it.
    package struct Hook: JSONCodable {
        /// The application's identifier.
        package var application: String
        /// How it is started.
        package var launch: Launch?
        /// The number of times it was started without taking its events.
        package var attempts: Int
        /// When it is started next.
        package var nextLaunch: Date?
        /// The identifiers of its sessions that hold events for it.
        package var pendingSessions: [String]
        /// Whether its user quit it: then it is not started.
        package var quit: Bool

        /// Creates the value from its members.
        package init(
            application: String,
            launch: Launch? = nil,
            attempts: Int,
            nextLaunch: Date? = nil,
            pendingSessions: [String],
            quit: Bool
        ) {
            self.application = application
            self.launch = launch
            self.attempts = attempts
            self.nextLaunch = nextLaunch
            self.pendingSessions = pendingSessions
            self.quit = quit
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("application", application)
                output.member("attempts", attempts)
                output.member("launch", launch)
                output.member("nextLaunch", nextLaunch)
                output.member("pendingSessions", pendingSessions)
                output.member("quit", quit)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var application: String?
            var launch: Launch?
            var attempts: Int?
            var nextLaunch: Date?
            var pendingSessions: [String]?
            var quit: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "application": application = try input.value()
                case "launch": launch = try input.value()
                case "attempts": attempts = try input.value()
                case "nextLaunch": nextLaunch = try input.value()
                case "pendingSessions": pendingSessions = try input.value()
                case "quit": quit = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                application: try input.required(application, "application"),
                launch: launch,
                attempts: try input.required(attempts, "attempts"),
                nextLaunch: nextLaunch,
                pendingSessions: try input.required(pendingSessions, "pendingSessions"),
                quit: try input.required(quit, "quit")
            )
        }
    }

    /// The kind of a log.
    package enum LogKind: String, JSONEnumeration {
        /// The standard error stream of a daemon in the foreground.
        case stderr
        /// The system's journal.
        case journal
        /// A separate file.
        case file
    }

    /// Where the daemon writes its log.
    package struct Log: JSONCodable {
        /// The kind of the log.
        package var kind: LogKind
        /// The file's absolute path: with file.
        package var path: String?

        /// Creates the value from its members.
        package init(kind: LogKind, path: String? = nil) {
            self.kind = kind
            self.path = path
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("kind", kind)
                output.member("path", path)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var kind: LogKind?
            var path: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "kind": kind = try input.value()
                case "path": path = try input.value()
                default: try input.skip()
                }
            }
            self.init(kind: try input.required(kind, "kind"), path: path)
        }
    }

    /// A rule of the user's timetable.
    package struct TimetableRule: JSONCodable {
        /// The rule's number, from 1.
        package var number: Int
        /// The rule, such as "Mon-Fri 08:00-18:00 512k".
        package var rule: String
        /// Whether it holds now.
        package var holds: Bool

        /// Creates the value from its members.
        package init(number: Int, rule: String, holds: Bool) {
            self.number = number
            self.rule = rule
            self.holds = holds
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("holds", holds)
                output.member("number", number)
                output.member("rule", rule)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var number: Int?
            var rule: String?
            var holds: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "number": number = try input.value()
                case "rule": rule = try input.value()
                case "holds": holds = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                number: try input.required(number, "number"),
                rule: try input.required(rule, "rule"),
                holds: try input.required(holds, "holds")
            )
        }
    }

    /// What cannot be used of the user's timetable.
    package struct TimetableFault: JSONCodable {
        /// The line's number, from 1; null if the whole file cannot be read.
        package var line: Int?
        /// The line; null if the whole file cannot be read.
        package var text: String?
        /// The problem with it, and what to do, for people.
        package var reason: String

        /// Creates the value from its members.
        package init(line: Int? = nil, text: String? = nil, reason: String) {
            self.line = line
            self.text = text
            self.reason = reason
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("line", line)
                output.member("reason", reason)
                output.member("text", text)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var line: Int?
            var text: String?
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "line": line = try input.value()
                case "text": text = try input.value()
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self.init(line: line, text: text, reason: try input.required(reason, "reason"))
        }
    }

    /// The user's timetable, and what it makes of the present hour.
    package struct Timetable: JSONCodable {
        /// The absolute path of its file.
        package var file: String
        /// Its rules, in the order of the file.
        package var rules: [TimetableRule]
        /// What cannot be used of it; the other lines hold.
        package var faults: [TimetableFault]
        /// The maximum number of bytes that all tasks together receive per second now, by its rules.
        package var receiveRate: Int64?
        /// The maximum number of bytes that all tasks together send per second now, by its rules.
        package var sendRate: Int64?
        /// Whether discretionary work may run now, as far as its rules are concerned.
        package var admitsDiscretionary: Bool
        /// When its rules next change any of that; null for never.
        package var until: Date?

        /// Creates the value from its members.
        package init(
            file: String,
            rules: [TimetableRule],
            faults: [TimetableFault],
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil,
            admitsDiscretionary: Bool,
            until: Date? = nil
        ) {
            self.file = file
            self.rules = rules
            self.faults = faults
            self.receiveRate = receiveRate
            self.sendRate = sendRate
            self.admitsDiscretionary = admitsDiscretionary
            self.until = until
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("admitsDiscretionary", admitsDiscretionary)
                output.member("faults", faults)
                output.member("file", file)
                output.member("receiveRate", receiveRate)
                output.member("rules", rules)
                output.member("sendRate", sendRate)
                output.member("until", until)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var file: String?
            var rules: [TimetableRule]?
            var faults: [TimetableFault]?
            var receiveRate: Int64?
            var sendRate: Int64?
            var admitsDiscretionary: Bool?
            var until: Date?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "file": file = try input.value()
                case "rules": rules = try input.value()
                case "faults": faults = try input.value()
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                case "admitsDiscretionary": admitsDiscretionary = try input.value()
                case "until": until = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                file: try input.required(file, "file"),
                rules: try input.required(rules, "rules"),
                faults: try input.required(faults, "faults"),
                receiveRate: receiveRate,
                sendRate: sendRate,
                admitsDiscretionary: try input.required(admitsDiscretionary, "admitsDiscretionary"),
                until: until
            )
        }
    }

    /// An inhibitor that the daemon holds with systemd-logind, as systemd-inhibit lists it.
    package struct Inhibitor: JSONCodable {
        /// The effect: delay or block.
        package var mode: String
        /// What is inhibited, such as shutdown:sleep.
        package var what: String
        /// The reason, for people.
        package var why: String

        /// Creates the value from its members.
        package init(mode: String, what: String, why: String) {
            self.mode = mode
            self.what = what
            self.why = why
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("mode", mode)
                output.member("what", what)
                output.member("why", why)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var mode: String?
            var what: String?
            var why: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "mode": mode = try input.value()
                case "what": what = try input.value()
                case "why": why = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                mode: try input.required(mode, "mode"),
                what: try input.required(what, "what"),
                why: try input.required(why, "why")
            )
        }
    }

    /// What is known of a service that reports conditions of the machine.
    package enum ServiceState: String, JSONEnumeration {
        /// It has been asked, and has not answered yet.
        case waiting
        /// It answers.
        case answers
        /// There is none.
        case absent
        /// It has not answered in time.
        case silent
        /// None of these: never sent, but a reader takes a state that it does not know for this.
        case other

        /// A case of a newer version that this one does not know.
        package static var unknown: Self? { .other }
    }

    /// A service that reports conditions of the machine.
    package struct ConditionsService: JSONCodable {
        /// The service's name, such as org.freedesktop.NetworkManager.
        package var name: String
        /// What is known of it.
        package var state: ServiceState

        /// Creates the value from its members.
        package init(name: String, state: ServiceState) {
            self.name = name
            self.state = state
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("name", name)
                output.member("state", state)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var name: String?
            var state: ServiceState?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "name": name = try input.value()
                case "state": state = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                name: try input.required(name, "name"),
                state: try input.required(state, "state")
            )
        }
    }

    /// Where the value of a setting is from.
    package enum SettingOrigin: String, JSONEnumeration {
        /// It is the default.
        case standard
        /// A line of a file.
        case file
        /// The daemon's command line.
        case arguments
        /// SetRates, which beats the settings.
        case limit
        /// None of these: never sent, but a reader takes an origin that it does not know for this.
        case other

        /// A case of a newer version that this one does not know.
        package static var unknown: Self? { .other }
    }

    /// A setting of the daemon.
    package struct Setting: JSONCodable {
        /// Its name, such as "maximum-transfers".
        package var name: String
        /// Its value as a file has it, without the password of a proxy; null if there is none.
        package var value: String?
        /// Where the value is from.
        package var origin: SettingOrigin
        /// The file's absolute path: with file.
        package var file: String?
        /// The line's number, from 1: with file.
        package var line: Int?

        /// Creates the value from its members.
        package init(
            name: String,
            value: String? = nil,
            origin: SettingOrigin,
            file: String? = nil,
            line: Int? = nil
        ) {
            self.name = name
            self.value = value
            self.origin = origin
            self.file = file
            self.line = line
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("file", file)
                output.member("line", line)
                output.member("name", name)
                output.member("origin", origin)
                output.member("value", value)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var name: String?
            var value: String?
            var origin: SettingOrigin?
            var file: String?
            var line: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "name": name = try input.value()
                case "value": value = try input.value()
                case "origin": origin = try input.value()
                case "file": file = try input.value()
                case "line": line = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                name: try input.required(name, "name"),
                value: value,
                origin: try input.required(origin, "origin"),
                file: file,
                line: line
            )
        }
    }

    /// What cannot be used of a file with settings.
    package struct SettingFault: JSONCodable {
        /// The file's absolute path.
        package var file: String
        /// The line's number, from 1; null for the whole file.
        package var line: Int?
        /// The name of the setting, or the beginning of the line; null for the whole file.
        package var text: String?
        /// The problem with it, and what is allowed, for people.
        package var reason: String

        /// Creates the value from its members.
        package init(file: String, line: Int? = nil, text: String? = nil, reason: String) {
            self.file = file
            self.line = line
            self.text = text
            self.reason = reason
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("file", file)
                output.member("line", line)
                output.member("reason", reason)
                output.member("text", text)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var file: String?
            var line: Int?
            var text: String?
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "file": file = try input.value()
                case "line": line = try input.value()
                case "text": text = try input.value()
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                file: try input.required(file, "file"),
                line: line,
                text: text,
                reason: try input.required(reason, "reason")
            )
        }
    }

    /// A file with settings, which need not be there.
    package struct SettingsFile: JSONCodable {
        /// The file's absolute path.
        package var path: String
        /// Whether there is one.
        package var exists: Bool

        /// Creates the value from its members.
        package init(path: String, exists: Bool) {
            self.path = path
            self.exists = exists
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("exists", exists)
                output.member("path", path)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var path: String?
            var exists: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "path": path = try input.value()
                case "exists": exists = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                path: try input.required(path, "path"),
                exists: try input.required(exists, "exists")
            )
        }
    }

    /// The settings of the daemon that hold.
    package struct Settings: JSONCodable {
        /// All of them, in the order of the manual.
        package var settings: [Setting]
        /// What cannot be used of the files; the other lines hold.
        package var faults: [SettingFault]
        /// The files, the most important first.
        package var files: [SettingsFile]

        /// Creates the value from its members.
        package init(settings: [Setting], faults: [SettingFault], files: [SettingsFile]) {
            self.settings = settings
            self.faults = faults
            self.files = files
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("faults", faults)
                output.member("files", files)
                output.member("settings", settings)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var settings: [Setting]?
            var faults: [SettingFault]?
            var files: [SettingsFile]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "settings": settings = try input.value()
                case "faults": faults = try input.value()
                case "files": files = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                settings: try input.required(settings, "settings"),
                faults: try input.required(faults, "faults"),
                files: try input.required(files, "files")
            )
        }
    }

    /// The status of the daemon.
    package struct Status: JSONCodable {
        /// The daemon's version.
        package var version: String
        /// The daemon's process.
        package var pid: Int32
        /// When it started.
        package var started: Date
        /// The paths of the sockets it listens on.
        package var sockets: [String]
        /// The directory that holds the queue.
        package var stateDirectory: String
        /// Where it writes its log.
        package var log: Log
        /// The number of running tasks.
        package var running: Int
        /// The number of waiting tasks.
        package var waiting: Int
        /// The number of suspended tasks.
        package var suspended: Int
        /// The number of open sessions.
        package var sessions: Int
        /// The number of connected clients.
        package var connections: Int
        /// The maximum number of bytes that all tasks together receive per second.
        package var receiveRate: Int64?
        /// The maximum number of bytes that all tasks together send per second.
        package var sendRate: Int64?
        /// The user's timetable, whose limits hold as well.
        package var timetable: Timetable?
        /// The inhibitors that are held.
        package var inhibitors: [Inhibitor]?
        /// The conditions that any waiting task avoids: only these are watched.
        package var avoided: [Condition]?
        /// Those of them that the machine is in; missing while that is not known.
        package var conditions: [Condition]?
        /// The services that are asked for them.
        package var services: [ConditionsService]?
        /// What cannot be used of the files with settings.
        package var settingFaults: [SettingFault]?

        /// Creates the value from its members.
        package init(
            version: String,
            pid: Int32,
            started: Date,
            sockets: [String],
            stateDirectory: String,
            log: Log,
            running: Int,
            waiting: Int,
            suspended: Int,
            sessions: Int,
            connections: Int,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil,
            timetable: Timetable? = nil,
            inhibitors: [Inhibitor]? = nil,
            avoided: [Condition]? = nil,
            conditions: [Condition]? = nil,
            services: [ConditionsService]? = nil,
            settingFaults: [SettingFault]? = nil
        ) {
            self.version = version
            self.pid = pid
            self.started = started
            self.sockets = sockets
            self.stateDirectory = stateDirectory
            self.log = log
            self.running = running
            self.waiting = waiting
            self.suspended = suspended
            self.sessions = sessions
            self.connections = connections
            self.receiveRate = receiveRate
            self.sendRate = sendRate
            self.timetable = timetable
            self.inhibitors = inhibitors
            self.avoided = avoided
            self.conditions = conditions
            self.services = services
            self.settingFaults = settingFaults
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("avoided", avoided)
                output.member("conditions", conditions)
                output.member("connections", connections)
                output.member("inhibitors", inhibitors)
                output.member("log", log)
                output.member("pid", pid)
                output.member("receiveRate", receiveRate)
                output.member("running", running)
                output.member("sendRate", sendRate)
                output.member("services", services)
                output.member("sessions", sessions)
                output.member("settingFaults", settingFaults)
                output.member("sockets", sockets)
                output.member("started", started)
                output.member("stateDirectory", stateDirectory)
                output.member("suspended", suspended)
                output.member("timetable", timetable)
                output.member("version", version)
                output.member("waiting", waiting)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var version: String?
            var pid: Int32?
            var started: Date?
            var sockets: [String]?
            var stateDirectory: String?
            var log: Log?
            var running: Int?
            var waiting: Int?
            var suspended: Int?
            var sessions: Int?
            var connections: Int?
            var receiveRate: Int64?
            var sendRate: Int64?
            var timetable: Timetable?
            var inhibitors: [Inhibitor]?
            var avoided: [Condition]?
            var conditions: [Condition]?
            var services: [ConditionsService]?
            var settingFaults: [SettingFault]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "version": version = try input.value()
                case "pid": pid = try input.value()
                case "started": started = try input.value()
                case "sockets": sockets = try input.value()
                case "stateDirectory": stateDirectory = try input.value()
                case "log": log = try input.value()
                case "running": running = try input.value()
                case "waiting": waiting = try input.value()
                case "suspended": suspended = try input.value()
                case "sessions": sessions = try input.value()
                case "connections": connections = try input.value()
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                case "timetable": timetable = try input.value()
                case "inhibitors": inhibitors = try input.value()
                case "avoided": avoided = try input.value()
                case "conditions": conditions = try input.value()
                case "services": services = try input.value()
                case "settingFaults": settingFaults = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                version: try input.required(version, "version"),
                pid: try input.required(pid, "pid"),
                started: try input.required(started, "started"),
                sockets: try input.required(sockets, "sockets"),
                stateDirectory: try input.required(stateDirectory, "stateDirectory"),
                log: try input.required(log, "log"),
                running: try input.required(running, "running"),
                waiting: try input.required(waiting, "waiting"),
                suspended: try input.required(suspended, "suspended"),
                sessions: try input.required(sessions, "sessions"),
                connections: try input.required(connections, "connections"),
                receiveRate: receiveRate,
                sendRate: sendRate,
                timetable: timetable,
                inhibitors: inhibitors,
                avoided: avoided,
                conditions: conditions,
                services: services,
                settingFaults: settingFaults
            )
        }
    }
}

extension HTTPField: JSONCodable {
    /// Writes the members.
    package func write(to output: inout JSONOutput) {
        output.object { output in
            output.member("name", name)
            output.member("value", value)
        }
    }

    /// Reads the members.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var name: String?
        var value: String?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "name": name = try input.value()
            case "value": value = try input.value()
            default: try input.skip()
            }
        }
        self.init(name: try input.required(name, "name"), value: try input.required(value, "value"))
    }
}

extension HTTPResponseHead: JSONCodable {
    /// Writes the members.
    package func write(to output: inout JSONOutput) {
        output.object { output in
            output.member("fields", fields)
            output.member("isDecoded", isDecoded ? true : nil)
            output.member("status", status)
            output.member("url", url)
            output.member("version", version)
        }
    }

    /// Reads the members.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var status: Int?
        var version: String?
        var fields: [HTTPField]?
        var url: String?
        var isDecoded: Bool?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "status": status = try input.value()
            case "version": version = try input.value()
            case "fields": fields = try input.value()
            case "url": url = try input.value()
            case "isDecoded": isDecoded = try input.value()
            default: try input.skip()
            }
        }
        self.init(
            status: try input.required(status, "status"),
            version: try input.required(version, "version"),
            fields: try input.required(fields, "fields"),
            url: try input.required(url, "url"),
            isDecoded: isDecoded ?? false
        )
    }
}
