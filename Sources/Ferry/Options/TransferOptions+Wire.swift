import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension Wire.TransferOptions {
    /// Creates the options that are sent to the daemon; nil for options that change nothing.
    ///
    /// - Parameters:
    ///   - options: The options of a task.
    ///   - request: Its request, which may exclude networks.
    init?(_ options: TransferOptions, for request: URLRequest? = nil) {
        var options = options
        if let request {
            options.avoidedConditions.formUnion(TransferOptions.Conditions(avoidedBy: request))
        }
        guard options != TransferOptions() else { return nil }
        let digests = options.expectedDigests.map {
            Wire.Digest(algorithm: $0.algorithm.rawValue, value: $0.value)
        }
        self.init(
            digests: digests.isEmpty ? nil : digests,
            mirrors: options.mirrors.isEmpty ? nil : options.mirrors.map(\.absoluteString),
            maximumConnections: options.maximumConnectionsPerDownload.map { max($0, 1) },
            receiveRate: options.maximumReceiveRate.map { max($0, 1) },
            sendRate: options.maximumSendRate.map { max($0, 1) },
            retry: options.retry.map { Wire.RetryRules($0) },
            refusesErrorResponses: options.deliversErrorResponses ? nil : true,
            holdsExpiredLinks: options.holdsExpiredLinks ? true : nil,
            uploadProtocol: Wire.UploadProtocol(options.uploadProtocol),
            directory: options.destinationDirectory.flatMap {
                $0.isFileURL ? $0.absoluteURL.path : nil
            },
            keepsMachineAwake: options.keepsMachineAwake ? true : nil,
            avoids: options.avoidedConditions.wire,
            connectTimeout: options.connectTimeout.map(\.boundedSeconds),
            acceptsInvalidCertificates: options.acceptsInvalidCertificates ? true : nil,
            maximumRedirects: options.maximumRedirects.map { max($0, 0) },
            requiresTLS: options.requiresHTTPS ? true : nil,
            maximumByteCount: options.maximumFileSize.map { max($0, 1) },
            minimumReceiveRate: options.minimumReceiveRate.map { max($0, 1) },
            cookies: options.ownCookies.isEmpty
                ? nil
                : options.ownCookies.prefix(TransferCookies.greatestCount).map { Wire.Cookie($0) }
        )
    }
}

extension TransferOptions {
    /// Creates a task's options as the daemon reports them.
    init(_ options: Wire.TransferOptions?) {
        self.init()
        guard let options else { return }
        expectedDigests = [Digest](options.digests)
        mirrors = (options.mirrors ?? []).compactMap { URL(string: $0) }
        maximumConnectionsPerDownload = options.maximumConnections
        maximumReceiveRate = options.receiveRate
        maximumSendRate = options.sendRate
        retry = options.retry.map { Retry($0) }
        deliversErrorResponses = options.refusesErrorResponses != true
        holdsExpiredLinks = options.holdsExpiredLinks ?? false
        uploadProtocol = UploadProtocol(options.uploadProtocol)
        destinationDirectory = options.directory.map {
            URL(filePath: $0, directoryHint: .isDirectory)
        }
        keepsMachineAwake = options.keepsMachineAwake ?? false
        avoidedConditions = Conditions(options.avoids ?? [])
        connectTimeout = options.connectTimeout.map { .seconds($0) }
        acceptsInvalidCertificates = options.acceptsInvalidCertificates ?? false
        maximumRedirects = options.maximumRedirects
        requiresHTTPS = options.requiresTLS ?? false
        maximumFileSize = options.maximumByteCount
        minimumReceiveRate = options.minimumReceiveRate
        ownCookies = (options.cookies ?? []).map { Cookie($0) }
    }
}

extension [TransferOptions.Digest] {
    /// Creates digests as the daemon reports them.
    init(_ digests: [Wire.Digest]?) {
        self = (digests ?? []).compactMap { digest in
            TransferOptions.Digest.Algorithm(rawValue: digest.algorithm)
                .flatMap { TransferOptions.Digest($0, digest.value) }
        }
    }
}

extension Wire.RetryRules {
    fileprivate init(_ retry: TransferOptions.Retry) {
        // Unchanged values are left to the daemon, whose user may have changed them.
        let usual = TransferOptions.Retry()
        let factor = retry.factor.isFinite ? min(max(retry.factor, 1), 1000) : 1
        self.init(
            maximumAttempts: retry.maximumAttempts.map { max($0, 1) },
            maximumUnansweredAttempts: retry.maximumUnansweredAttempts.map { max($0, 1) },
            firstDelay: retry.firstDelay == usual.firstDelay
                ? nil : retry.firstDelay.boundedSeconds,
            factor: retry.factor == usual.factor ? nil : factor,
            maximumDelay: retry.maximumDelay == usual.maximumDelay
                ? nil : retry.maximumDelay.boundedSeconds,
            statuses: retry.statuses.map { $0.filter { 400...599 ~= $0 }.sorted() }
        )
    }
}

extension TransferOptions.Retry {
    fileprivate init(_ rules: Wire.RetryRules) {
        self.init()
        maximumAttempts = rules.maximumAttempts
        maximumUnansweredAttempts = rules.maximumUnansweredAttempts
        firstDelay = rules.firstDelay.map { .seconds($0) } ?? firstDelay
        factor = rules.factor ?? factor
        maximumDelay = rules.maximumDelay.map { .seconds($0) } ?? maximumDelay
        statuses = rules.statuses.map { Set($0) }
    }
}

extension Duration {
    /// The duration in seconds, at least 0 and at most 1e9.
    fileprivate var boundedSeconds: Double { min(max(self / .seconds(1), 0), 1e9) }
}

extension Wire.UploadProtocol {
    fileprivate init?(_ uploadProtocol: TransferOptions.UploadProtocol) {
        switch uploadProtocol {
        case .automatic: return nil
        case .draft: self = .draft
        case .tus: self = .tus
        case .off: self = .off
        }
    }
}

extension TransferOptions.UploadProtocol {
    fileprivate init(_ uploadProtocol: Wire.UploadProtocol?) {
        switch uploadProtocol {
        case .automatic, nil: self = .automatic
        case .draft: self = .draft
        case .tus: self = .tus
        case .off: self = .off
        }
    }
}
