import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

// The user's timetable: its file, and what people ask about it.
extension Daemon {
    /// Starts to follow the timetable's file.
    ///
    /// - Returns: The timetable.
    func observeTimetable() async -> Timetable {
        await timetable.start { [weak self] in self?.timetableDidChange($0) }
        return timetable.timetable
    }

    /// The timetable, or what is known of it, has changed.
    func timetableDidChange(_ change: TimetableObservation.Change) {
        switch change {
        case .timetable(let timetable):
            log.write(.info, "the timetable has \(timetable.rules.count) rules")
            input { $0.timetableChanged(to: timetable) }
        case .faults(let faults):
            for fault in faults { log.write(.warning, "\(fault.text(in: timetable.path))") }
        case .zone:
            log.write(.info, "the time zone has changed")
            input { $0.followHours() }
        case .blindness(let error):
            log.write(.warning, "changes to the timetable may not be noticed: \(error)")
        }
    }

    /// Reports the timetable.
    func getTimetable(_ call: MethodCall<Wire.GetTimetable>) {
        call.reply.success(Wire.GetTimetable.Reply(timetable: presentedTimetable()))
    }

    /// Adds a rule to the timetable, or removes one.
    func changeTimetable(_ call: MethodCall<Wire.ChangeTimetable>) {
        let (parameters, reply) = (call.parameters, call.reply)
        let process = call.connection.peer.processIdentifier
        LoopActor.task { [self] in
            do throws(TransferInterfaceError) {
                try await change(parameters)
                log.write(.info, "process \(process) has changed the timetable")
                reply.success(Wire.ChangeTimetable.Reply(timetable: presentedTimetable()))
            } catch {
                reply.failure(error)
            }
        }
    }

    private func change(_ call: Wire.ChangeTimetable) async throws(TransferInterfaceError) {
        if let rule = call.remove {
            try await edit("remove") { (text) throws(TimetableError) in try text.remove(rule) }
        }
        if let rule = call.add {
            try await edit("add") { (text) throws(TimetableError) in try text.add(rule) }
        }
    }

    private func edit(
        _ parameter: String,
        _ edit: @escaping @Sendable (inout TimetableText) throws(TimetableError) -> Void
    ) async throws(TransferInterfaceError) {
        do throws(TimetableError) {
            try await timetable.change(edit)
        } catch {
            switch error.cause {
            case .request: throw .invalidRequest(parameter: parameter, reason: error.message)
            case .file: throw .timetableUnavailable(reason: error.message)
            }
        }
    }

    /// Returns the timetable as clients see it.
    func presentedTimetable() -> Wire.Timetable {
        let hours = machine.hours
        let wall = machine.clock.wall(at: now)
        return Wire.Timetable(
            file: timetable.path,
            rules: hours.timetable.rules.enumerated().map { index, rule in
                Wire.TimetableRule(
                    number: index + 1,
                    rule: "\(rule)",
                    holds: hours.holds(rule, at: wall)
                )
            },
            faults: timetable.faults.map {
                Wire.TimetableFault(line: $0.line, text: $0.text, reason: $0.reason)
            },
            receiveRate: hours.period.rates.receive,
            sendRate: hours.period.rates.send,
            admitsDiscretionary: !hours.period.isOutsideHours,
            until: hours.period.until
        )
    }
}
