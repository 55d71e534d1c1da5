/// The results that a change leaves as they are: all but some positions. Costs nothing to make but sorting those.
struct StableResults {
    let results: ResultsSnapshot
    /// Positions of the others, in order.
    private let taken: [Int]

    init(_ results: ResultsSnapshot, without taken: Set<Int>) {
        self.results = results
        self.taken = taken.sorted()
    }

    var count: Int { results.objects.count - taken.count }

    /// The position among all results of the `number`-th one here.
    func index(of number: Int) -> Int {
        // taken[i] - i of these come before taken[i].
        var (low, high) = (0, taken.count)
        while low < high {
            let middle = (low + high) / 2
            if taken[middle] - middle <= number { low = middle + 1 } else { high = middle }
        }
        return number + low
    }

    /// Adds a range of these to a new state, in whole stretches.
    func append(_ range: Range<Int>, to objects: inout [AnyObject], _ sections: inout SectionBuilder) {
        guard !range.isEmpty else { return }
        var start = index(of: range.lowerBound)
        let end = index(of: range.upperBound - 1) + 1
        // The first of the others behind the start.
        var (low, high) = (0, taken.count)
        while low < high {
            let middle = (low + high) / 2
            if taken[middle] < start { low = middle + 1 } else { high = middle }
        }
        while start < end {
            let stop = low < taken.count ? min(taken[low], end) : end
            if start < stop { appendAll(start..<stop, to: &objects, &sections) }
            start = stop + 1
            low += 1
        }
    }

    private func appendAll(_ range: Range<Int>, to objects: inout [AnyObject], _ sections: inout SectionBuilder) {
        objects.append(contentsOf: results.objects[range])
        var section = results.section(at: range.lowerBound)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(results.range(ofSection: section).upperBound, range.upperBound)
            sections.append(results.sectionNames[section], count: end - start)
            start = end
            section += 1
        }
    }
}
