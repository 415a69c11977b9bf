import Ferry
import FerryWire
import Foundation
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct ExplanationTests {
    typealias Transfer = TransferDaemon.Transfer
    private let noon = Date(timeIntervalSince1970: 1_790_000_000)

    private func second(_ transfer: Transfer) -> String {
        Explanation(transfer, now: noon).lines[1]
    }

    @Test(arguments: [
        (
            Transfer.Wait.Reason.hostLimit,
            "It waits for its turn: as many transfers from example.org are running as are allowed."
        ),
        (.connectionLimit, "It waits for its turn: as many transfers are running as are allowed."),
        (.paused, "It is paused. 'ferry resume 12' resumes it."),
        (.starting, "It is about to run."),
        (.backoff, "It failed and is tried again after a while."),
    ])
    func `every wait has its sentence`(reason: Transfer.Wait.Reason, sentence: String) throws {
        let wait = Transfer.Wait(reason: reason)
        #expect(second(try .sample(state: .waiting, wait: wait)) == sentence)
    }

    @Test(arguments: [
        (Transfer.Wait(reason: .paused), "paused"),
        (Transfer.Wait(reason: .hostLimit), "waiting: enough from its host"),
        (Transfer.Wait(reason: .connectionLimit), "waiting: enough at once"),
        (Transfer.Wait(reason: .starting), "starting"),
        (Transfer.Wait(reason: .backoff), "retry later"),
        (Transfer.Wait(reason: .hostFailure), "retry later"),
        (Transfer.Wait(reason: .network), "waiting for a network"),
        (Transfer.Wait(reason: .diskSpace), "waiting for room on the disk"),
        (Transfer.Wait(reason: .expiredLink), "link expired; ferry relink URL 12"),
        (Transfer.Wait(reason: .expensiveNetwork), "waiting: the network is metered"),
        (
            Transfer.Wait(reason: .constrainedNetwork),
            "waiting: the network is to carry few bytes"
        ),
        (Transfer.Wait(reason: .cellularNetwork), "waiting: the network is cellular"),
        (Transfer.Wait(reason: .battery), "waiting: on battery"),
        (Transfer.Wait(reason: .powerSaver), "waiting: saving power"),
        (Transfer.Wait(reason: .outsideHours), "waiting for its hours"),
        (
            Transfer.Wait(reason: .machineSleep),
            "waiting: the machine is about to sleep or to shut down"
        ),
        (Transfer.Wait(reason: Transfer.Wait.Reason(name: "moonlight")), "waiting: moonlight"),
    ])
    func `every wait has its few words`(wait: Transfer.Wait, words: String) throws {
        #expect(try Transfer.sample(state: .waiting, wait: wait).stateText(now: noon) == words)
    }

    @Test(arguments: Wire.WaitReason.allCases.filter { $0 != .other })
    func `each reason that ferryd gives has words and a sentence of its own`(
        reason: Wire.WaitReason
    ) throws {
        let wait = Transfer.Wait(reason: Transfer.Wait.Reason(name: reason.rawValue))
        let transfer = try Transfer.sample(state: .waiting, wait: wait)
        #expect(transfer.stateText(now: noon) != "waiting: \(reason.rawValue)")
        #expect(second(transfer) != "It waits: \(reason.rawValue).")
    }

    @Test func `KEEP-2: an expired link says what to type`() throws {
        let wait = Transfer.Wait(reason: .expiredLink, detail: "the server answers 403")
        #expect(
            second(try .sample(state: .waiting, wait: wait))
                == "Its link has expired: the server answers 403. What is here is kept. "
                + "'ferry relink URL 12' continues it from another address."
        )
    }

    @Test func `KEEP-1: an odd answer says what came, and when the server is asked again`() throws {
        let message = "the server at hotel answered with something else (text/html, 877 bytes)"
        let wait = Transfer.Wait(reason: .backoff, detail: message)
        var transfer = try Transfer.sample(state: .waiting, wait: wait)
        transfer.failure = Transfer.Failure(code: "answerDoubted", message: message)
        #expect(
            second(transfer)
                == "It waits, as \(message). What is here is kept; the server is asked again after a while."
        )
        transfer.wait?.until = noon
        #expect(transfer.stateText(now: noon).hasPrefix("\(message); asked again at "))
    }

    @Test func `USE-15: a relinked transfer is explained by its new address`() throws {
        var transfer = try Transfer.sample(state: .waiting, wait: .init(reason: .hostLimit))
        transfer.relinkedURL = URL(string: "https://user:secret@mirror.example/new.iso")
        #expect(
            Explanation(transfer, now: noon).lines == [
                "12  https://user@mirror.example/new.iso",
                "It waits for its turn: as many transfers from mirror.example are running as are allowed.",
                "It was begun from https://example.org/files/big.iso.",
            ]
        )
        #expect(TransferReport(transfer).url == "https://user@mirror.example/new.iso")
    }

    @Test(
        arguments: [
            ("500k", nil, "500k/s down"), (nil, "1.5MiB", "1.5MiB/s up"),
            ("2M", "20KiB", "2M/s down, 20KiB/s up"),
        ] as [(String?, String?, String)]
    )
    func `USE-15: a transfer's own limit is shown as it was typed`(
        receive: String?,
        send: String?,
        text: String
    ) throws {
        var transfer = try Transfer.sample()
        transfer.rates = .init(
            receive: receive.flatMap { TransferDaemon.Rates.bytesPerSecond($0) },
            send: send.flatMap { TransferDaemon.Rates.bytesPerSecond($0) }
        )
        #expect(Explanation(transfer, now: noon).lines.last == "Its own limit: \(text).")
        let report = try JSONLine.text(TransferReport(transfer))
        #expect(report.contains("receiveLimit") == (receive != nil))
        #expect(report.contains("sendLimit") == (send != nil))
    }

    @Test func `USE-14: a running transfer is explained with its speed and the time left`() throws {
        var transfer = try Transfer.sample()
        transfer.bytesPerSecond = 100
        #expect(second(transfer) == "It is running: 45% of 1000 B is here; 100 B/s, 6s left.")
        transfer.bytesPerSecond = 0
        #expect(second(transfer) == "It is running: 45% of 1000 B is here; 0 B/s.")
    }

    @Test func `a wait for the end of a condition says which, and how to do without`() throws {
        let wait = Transfer.Wait(reason: .battery, detail: "the machine runs on battery")
        #expect(
            second(try .sample(state: .waiting, wait: wait))
                == "It waits, as the machine runs on battery. 'ferry resume --now 12' runs it anyway."
        )
    }

    @Test func `a wait that ends at a time says when`() throws {
        let wait = Transfer.Wait(reason: .backoff, until: noon)
        #expect(
            second(try .sample(state: .waiting, wait: wait))
                == "It failed and is tried again at \(noon.text(now: noon))."
        )
    }

    @Test func `a reason of a later ferryd is told by what it says itself`() throws {
        let reason = Transfer.Wait.Reason(name: "moonlight")
        #expect(
            second(try .sample(state: .waiting, wait: Transfer.Wait(reason: reason)))
                == "It waits: moonlight."
        )
        let wait = Transfer.Wait(reason: reason, until: noon, detail: "the moon is low")
        #expect(
            second(try .sample(state: .waiting, wait: wait))
                == "It waits: the moon is low, until \(noon.text(now: noon))."
        )
    }

    @Test func `the last failure, the tries and the destination are told`() throws {
        let destination = Destination(directory: "/home/a", name: nil, permissions: 0o644)
        let transfer = try Transfer.sample(
            taskDescription: try destination.taskDescription,
            failure: Transfer.Failure(code: "connectionLost", message: "The connection was lost"),
            attempts: 2
        )
        #expect(
            Explanation(transfer, now: noon).lines == [
                "12  https://example.org/files/big.iso",
                "It is running: 45% of 1000 B is here.",
                "The last failure: The connection was lost (connectionLost). "
                    + "It was tried again 2 times.",
                "Its file goes to /home/a, under the name its server gives it.",
            ]
        )
    }

    @Test func `PLACE-2: a complete file says what it waits for`() throws {
        let obstacle = "waits for its disk: /mnt/stick is not mounted"
        var destination = Destination(directory: "/mnt/stick", name: nil, permissions: 0o644)
        destination.obstacle = obstacle
        let transfer = try Transfer.sample(
            state: .completed,
            taskDescription: try destination.taskDescription
        )
        let sentence =
            "Its file is complete, and \(obstacle). ferryd keeps it until it can be saved."
        #expect(second(transfer) == sentence)
        #expect(transfer.stateText(now: noon) == obstacle)
        #expect(TransferReport(transfer).wait?.detail == obstacle)
    }

    @Test func `a completed transfer waits for its application`() throws {
        let lines = Explanation(try .sample(state: .completed, status: 404), now: noon).lines
        #expect(
            lines[1] == "It has ended; org.example.App has not acknowledged that yet. "
                + "'ferry hooks' tells whether and when ferryd starts it. If that program is gone, "
                + "'ferry cancel 12' forgets the transfer and its file."
        )
        #expect(lines[2] == "The last response: the server answered 404 Not Found.")
    }

    @Test(arguments: [
        ("https://user:secret@example.org/a", "https://user@example.org/a"),
        ("https://example.org/a@b:c", "https://example.org/a@b:c"),
        ("https://example.org/a", "https://example.org/a"),
    ])
    func `a password in a URL is nobody's business`(url: String, shown: String) throws {
        var transfer = try Transfer.sample(url: url)
        #expect(transfer.shownURL == shown)
        #expect(TransferDaemon.Summary(transfer).shownURL == shown)
        transfer.relinkedURL = URL(string: "https://example.org/new")
        #expect(TransferDaemon.Summary(transfer).shownURL == "https://example.org/new")
        transfer.relinkedURL = nil
        transfer.originalRequest.url = nil
        #expect(transfer.shownURL == "-")
    }

    @Test func `the time of day has two digits each`() throws {
        #expect(noon.text(now: noon).wholeMatch(of: /\d\d:\d\d:\d\d/) != nil)
    }
}
