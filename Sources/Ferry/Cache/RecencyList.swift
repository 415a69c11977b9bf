/// Values under keys, in the order of their last use; each has a cost.
///
/// Every call takes the same time, however many values there are.
struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        var value: Value
        let cost: Int
        /// The place of the node that was used before this one.
        var older: Int?
        /// The place of the node that was used after this one.
        var newer: Int?
    }

    /// The nodes at their places; nil where a node was removed.
    private var nodes: [Node?] = []
    private var freePlaces: [Int] = []
    private var places: [Key: Int] = [:]
    private var oldest: Int?
    private var newest: Int?
    /// The costs of all values together.
    private(set) var cost = 0

    /// The keys, in no order.
    var keys: some Collection<Key> { places.keys }

    /// Returns a value; it does not count as a use.
    func value(for key: Key) -> Value? {
        places[key].flatMap { nodes[$0]?.value }
    }

    /// Uses a value.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - change: Changes it; not called if there is none.
    /// - Returns: The changed value; nil if there is none.
    @discardableResult
    mutating func use(_ key: Key, _ change: (inout Value) -> Void = { _ in }) -> Value? {
        guard let place = places[key] else { return nil }
        unlink(place)
        link(place)
        guard var value = nodes[place]?.value else { return nil }
        change(&value)
        nodes[place]?.value = value
        return value
    }

    /// Inserts a value as the one that was used last; it replaces one with the same key.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        let node = Node(key: key, value: value, cost: cost)
        let place: Int
        if let free = freePlaces.popLast() {
            nodes[free] = node
            place = free
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[key] = place
        self.cost += cost
        link(place)
    }

    /// Removes a value.
    mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        cost -= nodes[place]?.cost ?? 0
        nodes[place] = nil
        freePlaces.append(place)
    }

    /// Removes the value that was used least recently.
    ///
    /// - Returns: Its key; nil if there are no values.
    @discardableResult
    mutating func removeOldest() -> Key? {
        guard let key = oldest.flatMap({ nodes[$0]?.key }) else { return nil }
        remove(key)
        return key
    }

    /// Takes a node out of the order.
    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    }

    /// Puts a node at the end of the order.
    private mutating func link(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = nil
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }
}
