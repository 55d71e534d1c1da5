/// Elements with the number of times they occur.
struct Bag<Element: Hashable> {
    private var counts: [Element: Int] = [:]

    init(_ elements: [Element]) { for element in elements { counts[element, default: 0] += 1 } }

    var isEmpty: Bool { counts.isEmpty }

    /// Every element as often as it occurs.
    var elements: [Element] { counts.flatMap { Array(repeating: $0, count: $1) } }

    func subtracting(_ other: Bag) -> Bag {
        var rest = self
        for (element, count) in other.counts {
            guard let own = rest.counts[element] else { continue }
            rest.counts[element] = own > count ? own - count : nil
        }
        return rest
    }
}
