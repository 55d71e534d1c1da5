import CoreDataRuntimeSupport

/// The numbers that order the objects of an ordered relationship, as Core Data assigns them: 2048 for the first object, 1024
/// more for each further one, and the mean of its neighbors for one that is inserted between them.
enum OrderKeys {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024
    private static let largest: Int64 = 1 << 40

    /// Assigns numbers to objects in order and returns those that change, by position.
    ///
    /// - Parameter current: the current number of each object, in the new order; nil for new objects.
    static func assign(_ current: [Int64?]) -> [Int: Int64] {
        // Numbers so large that arithmetic could overflow are ignored.
        if current.contains(where: { ($0 ?? 0) > largest }) {
            return assign(current.map { $0.flatMap { $0 > largest ? nil : $0 } })
        }
        // The objects that are already in order.
        let kept = IncreasingSubsequence.positions(in: current.map { $0.flatMap { $0 > 0 ? $0 : nil } })
        var changes: [Int: Int64] = [:]
        var place = 0
        var lower: Int64 = 0
        var isFirst = true
        for anchor in kept + [current.count] {
            let missing = anchor - place
            if missing > 0 {
                if anchor == current.count {
                    let start = isFirst ? first : lower + step
                    for offset in 0..<missing { changes[place + offset] = start + Int64(offset) * step }
                } else {
                    let upper = current[anchor] ?? 0
                    guard upper - lower > Int64(missing) else { return renumber(current) }
                    for offset in 0..<missing {
                        changes[place + offset] = lower + (upper - lower) * Int64(offset + 1) / Int64(missing + 1)
                    }
                }
            }
            guard anchor < current.count else { break }
            lower = current[anchor] ?? 0
            isFirst = false
            place = anchor + 1
        }
        return changes
    }

    private static func renumber(_ current: [Int64?]) -> [Int: Int64] {
        var changes: [Int: Int64] = [:]
        for (place, number) in current.enumerated() {
            let wanted = first + Int64(place) * step
            if number != wanted { changes[place] = wanted }
        }
        return changes
    }
}
