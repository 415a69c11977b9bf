import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire

/// A hundred downloads in a real ferryd that their application has not resumed; it is connected as long as this is there.
struct SuspendedTasks {
    static let count = 100

    private let client: VarlinkClient
    private let session: Int64

    /// Creates them, in a session that avoids some conditions.
    init(avoiding conditions: Conditions = [], in home: TestHome) async throws {
        client = VarlinkClient(try DaemonStarter(environment: home.environment).connect())
        session = try await client.call(
            Wire.OpenSession(
                application: Wire.Application(identifier: "org.example.Waiting"),
                identifier: "avoiding-\(conditions.rawValue)",
                configuration: Wire.SessionConfiguration(
                    additionalFields: [],
                    resourceTimeout: 0,
                    maximumConnectionsPerHost: 6,
                    sendsLaunchEvents: false,
                    avoids: conditions.names
                )
            )
        ).session
        for identifier in 1...Self.count {
            let request = Wire.Request(
                url: "http://127.0.0.1:9/\(identifier)",
                method: "GET",
                fields: [],
                idleTimeout: 0
            )
            _ = try await client.call(
                Wire.CreateDownload(
                    session: session,
                    identifier: identifier,
                    request: request,
                    priority: 0.5
                )
            )
        }
    }

    /// Resumes the first of them, or all.
    func resume(_ count: Int = Self.count) async throws {
        for identifier in 1...count {
            _ = try await client.call(Wire.Resume(session: session, identifier: identifier))
        }
    }
}
