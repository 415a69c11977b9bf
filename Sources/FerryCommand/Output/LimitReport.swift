import Ferry
import FerryWire
import Foundation

/// The limits of all transfers together and the user's timetable, for people and for programs.
struct LimitReport: Encodable {
    private struct Rule: Encodable {
        let number: Int
        let rule: String
        let holds: Bool
    }

    private struct Fault: Encodable {
        let line: Int?
        let text: String?
        let reason: String
    }

    /// The limits that hold now: for each direction the lower one.
    private let receiveRate: Int64?
    private let sendRate: Int64?
    /// Whether discretionary work may run now.
    private let discretionary: Bool
    private let until: Date?
    /// The limits without the timetable.
    private let alwaysReceiveRate: Int64?
    private let alwaysSendRate: Int64?
    private let file: String
    private let rules: [Rule]
    private let faults: [Fault]

    /// A report.
    ///
    /// - Parameters:
    ///   - timetable: The timetable.
    ///   - rates: The limits that hold at any hour.
    init(_ timetable: TransferDaemon.Timetable, beside rates: TransferDaemon.Rates) {
        receiveRate = [rates.receive, timetable.rates.receive].compactMap { $0 }.min()
        sendRate = [rates.send, timetable.rates.send].compactMap { $0 }.min()
        discretionary = timetable.admitsDiscretionaryWork
        until = timetable.nextChange
        alwaysReceiveRate = rates.receive
        alwaysSendRate = rates.send
        file = timetable.file
        rules = timetable.rules.map { Rule(number: $0.number, rule: $0.text, holds: $0.holds) }
        faults = timetable.faults.map { Fault(line: $0.line, text: $0.text, reason: $0.reason) }
    }

    /// The report for people.
    var text: String {
        let always = TransferDaemon.Rates(receive: alwaysReceiveRate, send: alwaysSendRate)
        let rows = [("now", [present]), ("any hour", [always.text ?? "no limit"])]
        return (rows + timetableRows).filter { !$0.1.isEmpty }.map { name, lines in
            "\(name):".padding(toColumn: Self.column)
                + lines.joined(separator: "\n" + String(repeating: " ", count: Self.column))
        }.joined(separator: "\n")
    }

    /// The rows about the timetable: its rules and what is wrong with it.
    private var timetableRows: [(String, [String])] {
        [
            (
                "rules",
                rules.map { "\($0.number)  \($0.rule.printable)\($0.holds ? "  (now)" : "")" }
            ),
            ("wrong", faultLines), ("file", [file.printable]),
        ]
    }

    /// What is wrong with the timetable, a line each.
    var faultLines: [String] {
        faults.map { fault in
            let place = fault.line.map { "line \($0)" } ?? "the file"
            let text = fault.text.map { " '\($0)'" } ?? ""
            return "\(place)\(text): \(fault.reason)".printable
        }
    }

    /// What holds now, and until when.
    var present: String {
        let rates = TransferDaemon.Rates(receive: receiveRate, send: sendRate)
        let time = until.map { ", until \($0.timeOfWeek)" } ?? ""
        return
            "\(rates.text ?? "no limit")\(discretionary ? "" : ", discretionary work waits")\(time)"
    }

    private static let column = 13
}

extension TransferDaemon.Rates {
    /// The limits, in a few words; nil if there are none.
    var text: String? {
        let limits = [
            receive.map { "\(ByteRate.text($0))/s down" },
            send.map { "\(ByteRate.text($0))/s up" },
        ].compactMap { $0 }
        return limits.isEmpty ? nil : limits.joined(separator: ", ")
    }
}
