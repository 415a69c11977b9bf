import FerryHTTP
import FerryStore
import FerryWire

@testable import FerryDaemon

/// An application in a world where everything that is started loads.
struct SharingProgram {
    let name: String
    let client: BenchClient
    /// How many bytes each of its transfers brings per second.
    let rate: Int64

    init(_ name: String, number: Int64, rate: Int64, in bench: inout MachineBench) {
        self.name = name
        self.rate = rate
        client = bench.open(
            "main",
            application: name,
            process: number,
            configuration: .limited(16)
        )
    }
}

extension MachineBench {
    /// How many places each application has.
    var placesByApplication: [String: Int] {
        machine.running.values.filter { $0.slot == .transfer }.reduce(into: [:]) {
            let id = machine.application(of: $1.record)
            $0[machine.applications[id]?.record.identifier ?? "", default: 0] += 1
        }
    }

    /// Lets a second pass in which every transfer loads.
    mutating func passSecond(_ programs: [SharingProgram]) {
        for task in machine.running.sorted(where: { $0.phase == .loading }) {
            let id = task.record.id
            if task.response == nil { answer(id) }
            let rate = programs.first { $0.client.sessionID == task.record.sessionID }?.rate ?? 0
            progress(id, task.receivedByteCount + rate, of: nil)
        }
        settle()
        wait(1)
    }

    /// A server answers with a version that can be gone on with.
    mutating func answer(_ task: TaskID) {
        var response = Wire.Response.sample()
        response.fields = [Wire.Field(name: "ETag", value: "\"1\"")]
        input { [response] in
            $0.responded(task: task, response: response, request: .sample())
        }
    }
}
