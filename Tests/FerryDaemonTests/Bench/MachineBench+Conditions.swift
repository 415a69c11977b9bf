import FerryStore
import FerrySystem
import FerryWire

@testable import FerryDaemon

extension Wire.SessionConfiguration {
    /// The sample with conditions that its tasks avoid.
    static func avoiding(_ conditions: Wire.Condition...) -> Wire.SessionConfiguration {
        var configuration = limited(9)
        configuration.avoids = conditions
        return configuration
    }
}

extension MachineBench {
    /// The machine gets into some conditions, and out of all others.
    mutating func set(_ conditions: Conditions?) {
        self.conditions = conditions
        let kinds = observed
        input { $0.conditionsChanged(to: conditions?.intersection(kinds)) }
        settle()
    }

    /// A client changes what a task avoids.
    mutating func avoid(
        _ conditions: [Wire.Condition],
        _ client: BenchClient,
        _ identifier: Int = 1
    ) {
        let options = Wire.TransferOptions(avoids: conditions)
        let set = Wire.SetOptions(
            session: client.session,
            identifier: identifier,
            options: options
        )
        settledCall(client) { $0.setOptions(set, from: $1) }
    }

    /// A person lets a task run at once.
    mutating func override(_ task: TaskID) {
        person { $0.resumeTask(task, overridingConditions: true, from: $1) }
    }
}
