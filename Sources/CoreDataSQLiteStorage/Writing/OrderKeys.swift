import CoreDataRuntimeSupport

/// The numbers that keep an ordered relationship's order: 2048 for the first object, 1024 more for each further one,
/// and the middle of its neighbours for one that is put between them, as Core Data numbers them.
enum OrderKeys {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024
    private static let largest: Int64 = 1 << 40

    /// The new numbers for objects whose number must change, by their place in the order.
    ///
    /// - Parameter current: the number each object has now, in the order wanted; nil for new ones.
    static func assign(_ current: [Int64?]) -> [Int: Int64] {
        // Numbers that leave no room for arithmetic count as none.
        if current.contains(where: { ($0 ?? 0) > largest }) {
            return assign(current.map { $0.flatMap { $0 > largest ? nil : $0 } })
        }
        // What is in order already.
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
