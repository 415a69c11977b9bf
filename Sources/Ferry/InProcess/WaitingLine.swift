/// The tasks that wait for a connection, by host.
///
/// For each host, the task with the greatest priority comes first; among equal ones, the task that has waited longest.
struct WaitingLine {
    /// A task's place in the line.
    struct Place: Hashable {
        let task: Int
        let host: String
        let priority: Float
        /// Grows with every task that enters.
        let order: UInt64

        fileprivate func comes(before other: Place) -> Bool {
            (other.priority, order) < (priority, other.order)
        }
    }

    /// The places by host, the next one first; slices, from which the first is taken without moving the others.
    private var places: [String: ArraySlice<Place>] = [:]
    private var nextOrder: UInt64 = 0

    var isEmpty: Bool { places.isEmpty }

    /// The hosts for which tasks wait.
    var hosts: [String] { Array(places.keys) }

    /// Whether a task waits for a host.
    func isAwaited(_ host: String) -> Bool { places[host] != nil }

    mutating func enter(task: Int, host: String, priority: Float) -> Place {
        let place = Place(task: task, host: host, priority: priority, order: nextOrder)
        nextOrder += 1
        let index = index(of: place)
        if index == places[host]?.endIndex ?? 0 {
            // Nearly all tasks have the same priority.
            places[host, default: []].append(place)
        } else {
            places[host]?.insert(place, at: index)
        }
        return place
    }

    /// Gives up a place; a place that was already taken off the line is ignored.
    mutating func leave(_ place: Place) {
        let index = index(of: place)
        guard let line = places[place.host], index < line.endIndex, line[index] == place else {
            return
        }
        places[place.host]?.remove(at: index)
        forgetIfEmpty(place.host)
    }

    /// Takes the first task off the line of a host.
    mutating func takeFirst(ofHost host: String) -> Int? {
        guard let place = places[host]?.popFirst() else { return nil }
        forgetIfEmpty(host)
        return place.task
    }

    private mutating func forgetIfEmpty(_ host: String) {
        if places[host]?.isEmpty == true { places[host] = nil }
    }

    /// Returns the index of a place in its host's line, or the index where it belongs.
    private func index(of place: Place) -> Int {
        guard let line = places[place.host] else { return 0 }
        var low = line.startIndex
        var high = line.endIndex
        while low < high {
            let middle = (low + high) / 2
            if line[middle].comes(before: place) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
