/// The results that a change leaves unchanged: all except some positions. Creating it only sorts those positions.
struct StableResults {
    let results: ResultsSnapshot
    /// The positions of the others, ascending.
    private let taken: [Int]

    init(_ results: ResultsSnapshot, without taken: Set<Int>) {
        self.results = results
        self.taken = taken.sorted()
    }

    var count: Int { results.objects.count - taken.count }

    /// Returns the position among all results of the unchanged result `number`.
    func index(of number: Int) -> Int {
        // For all i up to the result, taken[i] - i unchanged results precede taken[i].
        var (low, high) = (0, taken.count)
        while low < high {
            let middle = (low + high) / 2
            if taken[middle] - middle <= number { low = middle + 1 } else { high = middle }
        }
        return number + low
    }

    /// Appends a range of the unchanged results to a new state, in contiguous runs.
    func append(_ range: Range<Int>, to objects: inout [AnyObject], _ sections: inout SectionBuilder) {
        guard !range.isEmpty else { return }
        var start = index(of: range.lowerBound)
        let end = index(of: range.upperBound - 1) + 1
        // Find the first taken position at or after the start.
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
