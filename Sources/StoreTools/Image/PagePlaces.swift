/// The places of the contents of pages in a file beside the database; 0 for pages that are not there.
///
/// Takes memory for the pages that are there, whatever their numbers.
struct PagePlaces<Place: FixedWidthInteger & Sendable>: Sendable {
    private var low: [Place] = []
    private var high: [Int: Place] = [:]
    /// The highest number of a page that is there; 0 without one.
    private(set) var highestPage = 0

    /// The numbers below this one have elements of an array.
    private static var limit: Int { 1 << 18 }

    @inline(__always)
    subscript(page: Int) -> Place {
        if page < low.count { return page >= 0 ? low[page] : 0 }
        return high.isEmpty ? 0 : high[page] ?? 0
    }

    mutating func set(_ place: Place, of page: Int) {
        highestPage = max(highestPage, page)
        guard page < Self.limit else {
            high[page] = place
            return
        }
        if page >= low.count { low.append(contentsOf: repeatElement(0, count: page + 1 - low.count)) }
        low[page] = place
    }

    /// The numbers of the pages that are there, the highest ones in no order.
    var pages: some Sequence<Int> {
        [Int](low.indices.filter { low[$0] != 0 }) + high.keys
    }
}
