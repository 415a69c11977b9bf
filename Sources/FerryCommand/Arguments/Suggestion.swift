/// Finds the word that the user may have meant to type.
enum Suggestion {
    /// The known word that is nearest to the typed one; nil when none is near.
    ///
    /// - Parameters:
    ///   - word: The word as typed.
    ///   - known: The valid words.
    /// - Returns: The word to suggest; nil when none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        let tolerance = word.count <= 3 ? 1 : 2
        return
            known
            .map { (word: $0, distance: distance(from: word.lowercased(), to: $0)) }
            .filter { $0.distance <= tolerance || ($0.word.hasPrefix(word) && !word.isEmpty) }
            .min { $0.distance < $1.distance }?
            .word
    }

    /// The number of letters to insert, remove, replace or swap with their neighbour.
    static func distance(from source: String, to target: String) -> Int {
        let source = Array(source)
        let target = Array(target)
        var beforePrevious: [Int] = []
        var previous = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let replaced = previous[column] + (source[row] == target[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, source[row] == target[column - 1],
                    source[row - 1] == target[column]
                {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[target.count]
    }
}
