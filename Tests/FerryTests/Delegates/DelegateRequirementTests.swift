import FerryTestSupport
import Foundation
import PortedDelegates
import Testing

@testable import Ferry

@Suite("The methods of delegates", .timeLimit(.minutes(1)))
struct DelegateRequirementTests {
    /// A way to write all methods down.
    enum Style: CaseIterable {
        case handlers
        case plainHandlers
        case async

        func make() -> any EveryDelegate & RecordingDelegate {
            switch self {
            case .handlers: HandlerDelegate()
            case .plainHandlers: PlainHandlerDelegate()
            case .async: AsyncDelegate()
            }
        }
    }

    init() { _ = Home.path }

    @Test(arguments: Style.allCases)
    func `API-1: every method is called that is declared as Apple declares it`(
        style: Style
    ) async throws {
        let delegate = style.make()
        let every = try EveryRequirement(delegate: BareDelegate())
        try every.notifyAll(delegate)
        #expect(delegate.calls == EveryRequirement.messages)
        every.expectDefaults(try await every.askAll(delegate))
        #expect(
            delegate.calls.suffix(from: EveryRequirement.messages.count)
                == EveryRequirement.questions[...]
        )
        for method in DelegateForms.Method.allCases {
            #expect(!DelegateForms.isDefault(method, of: delegate))
        }
    }

    @Test(arguments: Style.allCases)
    func `API-2: either form of a method reaches the one that is implemented`(
        style: Style
    ) async throws {
        let delegate = style.make()
        let every = try EveryRequirement(delegate: BareDelegate())
        // The second time it is known what there is.
        for _ in 1...2 {
            every.expectDefaults(try await every.askAllAsync(delegate))
            every.expectDefaults(try await every.askAll(delegate))
        }
        let questions = EveryRequirement.questions
        #expect(delegate.calls == questions + questions + questions + questions)
    }

    @Test func `API-2: what a delegate leaves out is noted for every method that has a default`()
        async throws
    {
        let delegate = LonelyDelegate()
        let every = try EveryRequirement(delegate: BareDelegate())
        try every.notifyAll(delegate)
        every.expectDefaults(try await every.askAll(delegate))
        delegate.urlSession(
            every.session,
            task: every.dataTask,
            needsNewRequestAfter: try every.response()
        ) { #expect($0 == nil) }
        let noted = DelegateForms.Method.allCases.filter {
            DelegateForms.isDefault($0, of: delegate)
        }
        #expect(noted == DelegateForms.Method.allCases.filter { $0 != .finished })
    }

    @Test func `API-2: delegates that forward to each other end`() async throws {
        let bare = BareDelegate()
        let chains: [any EveryDelegate & RecordingDelegate] = [
            ForwardingDelegate(to: bare), AsyncForwardingDelegate(to: bare),
            ForwardingDelegate(to: AsyncForwardingDelegate(to: ForwardingDelegate(to: bare))),
        ]
        for forwarding in chains {
            let every = try EveryRequirement(delegate: forwarding)
            every.dataTask.delegate = bare
            every.downloadTask.delegate = forwarding
            try every.notifyAll(forwarding)
            every.expectDefaults(try await every.askAll(forwarding))
            every.expectDefaults(try await every.askAllAsync(forwarding))
        }
    }
}

private final class LonelyDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    URLSessionWebSocketDelegate
{
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}
