/// The numbers that keep an ordered relationship's order: 2048 for the first object, 1024 more for each further one,
/// and the middle of its neighbours for one that is put between them, as Core Data numbers them.
enum OrderKeys {
    static let first: Int64 = 2048
    static let step: Int64 = 1024
    private static let largest: Int64 = 1 << 40

    /// The new numbers for objects whose number must change, by their place in the order.
    ///
    /// - Parameter current: the number each object has now, in the order wanted; nil for new ones.
    static func assign(_ current: [Int64?]) -> [Int: Int64] {
        // Numbers that leave no room for arithmetic count as none.
        if current.contains(where: { ($0 ?? 0) > largest }) {
            return assign(current.map { $0.flatMap { $0 > largest ? nil : $0 } })
        }
        let kept = longestIncreasing(current)
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

    /// Places of a longest run of objects whose numbers are in order already.
    private static func longestIncreasing(_ numbers: [Int64?]) -> [Int] {
        var tails: [Int] = []
        var previous = Array(repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            guard let number, number > 0 else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[tails[middle]]! < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = tails[low - 1] }
            if low == tails.count { tails.append(place) } else { tails[low] = place }
        }
        var result: [Int] = []
        var place = tails.last ?? -1
        while place >= 0 {
            result.append(place)
            place = previous[place]
        }
        return result.reversed()
    }
}
