import FerryHTTP
import FerryWireTestSupport
import Foundation

@testable import FerryWire

/// A value of each type of the interface with all its members.
enum Samples {
    static let field = Wire.Field(name: "Accept", value: "*/*")
    static let request = Wire.Request(
        url: "https://example.org/a",
        method: "POST",
        fields: [field],
        body: Data([0, 255, 7]),
        idleTimeout: 60.5,
        madeFor: "https://example.net/a",
        ignoresCookies: true,
        cookieSite: "https://example.net/"
    )
    static let response = Wire.Response(
        status: 206,
        version: "HTTP/1.1",
        fields: [field],
        url: "https://example.org/b"
    )
    static let launch = Wire.Launch(
        executable: "/usr/bin/app",
        arguments: ["--quiet"],
        directory: "/home/someone",
        environment: ["LANG": "C.UTF-8"],
        fileModeMask: 0o027,
        omittedVariables: ["EDITOR"]
    )
    static let application = Wire.Application(identifier: "org.example.app", launch: launch)
    static let configuration = Wire.SessionConfiguration(
        additionalFields: [field],
        resourceTimeout: 604_800.5,
        maximumConnectionsPerHost: 6,
        sendsLaunchEvents: true,
        launchesForEachTask: true,
        answersPasswords: true,
        answersCertificates: true,
        collectsMetrics: true,
        replacesLinks: true,
        receiveRate: 1_000_000,
        sendRate: 2_000_000,
        connections: connections,
        avoids: [.expensiveNetwork]
    )
    static let clientCertificate = Wire.ClientCertificate(
        certificate: "/home/someone/client.pem",
        key: "/home/someone/client.key",
        passphrase: "harbour"
    )
    static let connections = Wire.Connections(
        httpProxy: "http://alice:harbour@proxy.example.com:3128",
        httpsProxy: "socks5h://[::1]:1080",
        proxyExceptions: ["localhost", "10.0.0.0/8"],
        authorityFile: "/home/someone/ca.pem",
        authorityDirectory: "/home/someone/authorities",
        clientCertificate: clientCertificate
    )
    static let date = Date(timeIntervalSince1970: 1_800_000_000.5)
    static let wait = Wire.Wait(reason: .backoff, until: date, detail: "after a lost connection")
    static let failure = Wire.Failure(code: "timedOut", message: "nothing came for a minute")
    static let upload = Wire.Upload(byteCount: 7_000_000_000, sentByteCount: 5_000_000_001)
    static let options = Wire.TransferOptions(
        digests: [digest],
        mirrors: ["https://example.com/a"],
        maximumConnections: 4,
        receiveRate: 5_000_000_000,
        sendRate: 6_000_000_000,
        retry: retry,
        refusesErrorResponses: true,
        holdsExpiredLinks: true,
        uploadProtocol: .tus,
        directory: "/srv/music",
        avoids: [.battery, .powerSaver],
        connectTimeout: 7.5
    )
    static let digest = Wire.Digest(algorithm: "sha-256", value: Data([1, 2]))
    static let retry = Wire.RetryRules(
        maximumAttempts: 3,
        maximumUnansweredAttempts: 2,
        firstDelay: 0.5,
        factor: 1.5,
        maximumDelay: 60.5,
        statuses: [503]
    )
    static let task = Wire.Task(
        id: 1 << 40,
        application: "org.example.app",
        session: "music",
        identifier: 3,
        state: .waiting,
        description: "Track 3",
        priority: 0.75,
        originalRequest: Encoded(request),
        currentRequest: Encoded(request),
        response: Encoded(response),
        receivedByteCount: 5_000_000_000,
        expectedByteCount: 6_000_000_000,
        upload: upload,
        wait: wait,
        failure: failure,
        attempts: 2,
        created: date,
        earliestBegin: date,
        options: options
    )
    static let earliestBegin = Wire.EarliestBegin(date: date, asks: true)
    static let password = Wire.PasswordChallenge(
        scheme: "digest",
        parameters: ["realm": "music"],
        isProxy: true
    )
    static let trust = Wire.ServerTrust(
        host: "example.org",
        certificates: [Data([48, 0])],
        verdict: .untrusted,
        reason: "self-signed"
    )
    static let certificateRequest = Wire.CertificateRequest(
        host: "example.org",
        issuers: [Data([48, 1])]
    )
    static let challenge = Wire.Challenge(
        origin: "https://example.org:443",
        previousFailureCount: 1,
        response: response,
        password: password,
        trust: trust,
        certificate: certificateRequest
    )
    static let identity = Wire.Identity(
        format: .pkcs12,
        content: Data([48, 2]),
        passphrase: "secret"
    )
    static let transaction: Wire.Transaction = {
        var transaction = Wire.Transaction(started: date, isLast: true)
        transaction.request = request
        transaction.response = response
        transaction.lookupStart = 125_000
        transaction.lookupEnd = 225_000
        transaction.connectStart = 325_000
        transaction.secureConnectStart = 425_000
        transaction.secureConnectEnd = 525_000
        transaction.connectEnd = 625_000
        transaction.requestStart = 725_000
        transaction.requestEnd = 825_000
        transaction.responseStart = 925_000
        transaction.responseEnd = 1_500_000
        transaction.isReusedConnection = true
        transaction.localAddress = "192.0.2.1"
        transaction.localPort = 40_000
        transaction.remoteAddress = "2001:db8::1"
        transaction.remotePort = 443
        transaction.tlsVersion = 0x0304
        transaction.tlsCipherSuite = 0x1301
        transaction.version = "HTTP/2"
        transaction.sentHeaderByteCount = 1
        transaction.sentBodyByteCount = 2
        transaction.receivedHeaderByteCount = 3
        transaction.receivedBodyByteCount = 4
        transaction.decodedBodyByteCount = 5
        transaction.isCellular = true
        transaction.isExpensive = false
        transaction.isConstrained = true
        return transaction
    }()
    static let metrics = Wire.TaskMetrics(
        started: date,
        ended: date,
        redirectCount: 2,
        transactions: [transaction]
    )
    static let event = Wire.Event(
        kind: .completed,
        sequence: 17,
        task: 3,
        response: Encoded(response),
        request: request,
        offset: 5,
        receivedByteCount: 6,
        expectedByteCount: 7,
        sentByteCount: 8,
        path: "/home/someone/file",
        failure: failure,
        resumeData: Data([1, 2, 3]),
        resumeDataRefusal: "noValidator",
        cancelReason: 0,
        question: 12,
        challenge: challenge,
        metrics: Encoded(metrics)
    )
    static let hook = Wire.Hook(
        application: "org.example.app",
        launch: launch,
        attempts: 1,
        nextLaunch: date,
        pendingSessions: ["music"],
        quit: false
    )
    static let log = Wire.Log(kind: .file, path: "/home/someone/log")
    static let status = Wire.Status(
        version: "1.0",
        pid: 4711,
        started: date,
        sockets: ["/run/user/1000/ferry/io.ferry.Transfer"],
        stateDirectory: "/home/someone/.local/state/ferry",
        log: log,
        running: 1,
        waiting: 2,
        suspended: 3,
        sessions: 4,
        connections: 5,
        receiveRate: 1_000_000,
        sendRate: 2_000_000
    )

    static let errors: [TransferInterfaceError] = [
        .sessionInUse(identifier: "music", pid: 4711), .sessionNotOpen(session: 5),
        .taskNotFound(id: 6), .applicationNotFound(application: "org.example.app"),
        .invalidRequest(parameter: "url", reason: "no host"),
        .storeUnavailable(reason: "the disk is full"),
        .timetableUnavailable(reason: "/home/a/.config/ferry/timetable: it cannot be written"),
        .limitExceeded(limit: "connections", maximum: 512), .resourceUnavailable(reason: "full"),
        .permissionDenied,
        .internalFailure(reason: "impossible"),
    ]

    static let serviceErrors: [ServiceError] = [
        .interfaceNotFound("a.b"), .methodNotFound("a.b.C"), .methodNotImplemented("a.b.C"),
        .invalidParameter("session"), .permissionDenied, .expectedMore,
    ]
}
