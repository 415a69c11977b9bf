import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire

extension Wire.Launch {
    /// How the sample application is started.
    static let sample = Wire.Launch(
        executable: "/usr/bin/half-tunes",
        arguments: ["--events"],
        directory: "/home/jo",
        environment: ["LANG": "de_DE.UTF-8"]
    )
}

extension Wire.SessionConfiguration {
    /// A session with two transfers at once from a host and no limit of time.
    static let sample = Wire.SessionConfiguration(
        additionalFields: [],
        resourceTimeout: 0,
        maximumConnectionsPerHost: 2,
        sendsLaunchEvents: true
    )

    /// The sample with another limit.
    static func limited(_ limit: Int) -> Wire.SessionConfiguration {
        var configuration = sample
        configuration.maximumConnectionsPerHost = limit
        return configuration
    }

    /// The sample with a limit of time.
    static func timed(_ seconds: Double) -> Wire.SessionConfiguration {
        var configuration = sample
        configuration.resourceTimeout = seconds
        return configuration
    }
}

extension Wire.OpenSession {
    static func sample(
        _ session: String = "session",
        _ application: String = "app",
        _ launch: Wire.Launch? = .sample,
        _ configuration: Wire.SessionConfiguration = .sample
    ) -> Wire.OpenSession {
        Wire.OpenSession(
            application: Wire.Application(identifier: application, launch: launch),
            identifier: session,
            configuration: configuration
        )
    }
}

extension Wire.Request {
    static func sample(_ url: String = "http://a/1") -> Wire.Request {
        Wire.Request(url: url, method: "GET", fields: [], idleTimeout: 60)
    }
}

extension Wire.Response {
    static func sample(_ status: Int = 200, url: String = "http://a/1") -> Wire.Response {
        Wire.Response(status: status, version: "HTTP/1.1", fields: [], url: url)
    }
}

extension Wire.CreateDownload {
    static func sample(
        _ session: Int64,
        _ identifier: Int = 1,
        _ host: String = "a",
        _ priority: Double = 0.5
    ) -> Wire.CreateDownload {
        Wire.CreateDownload(
            session: session,
            identifier: identifier,
            request: .sample("http://\(host)/\(identifier)"),
            priority: priority
        )
    }
}

extension TransferError {
    static func sample(
        _ code: Code,
        retryAfter: Double? = nil,
        holdsBytes: Bool = false
    ) -> TransferError {
        TransferError(
            code: code,
            message: code.rawValue,
            retryAfter: retryAfter,
            holdsBytes: holdsBytes
        )
    }
}

extension EventRecord {
    /// The event, as it is sent.
    var sent: Wire.Event? {
        var event = event.value
        event?.sequence = sequence
        event?.path = path
        return event
    }
}
