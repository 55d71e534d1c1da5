/// Dates as whole microseconds, as stores with ``StoreAbilities/microsecondDates`` keep them.
package enum MicrosecondDate {
    /// The seconds from the beginning of 2000, UTC, which the count begins with, to the reference date, 2001.
    private static let epochOffset = 31_622_400.0
    private static let microseconds = 1_000_000.0
    /// The range of PostgreSQL's `timestamptz`: from 4713 BC to the end of 294276.
    private static let range: ClosedRange<Int64> = -211_813_488_000_000_000...9_223_371_331_199_999_999

    /// Returns the microseconds since 2000 for seconds since the reference date, rounded; nil out of range.
    package static func count(_ seconds: Double) -> Int64? {
        let count = ((seconds + epochOffset) * microseconds).rounded(.toNearestOrEven)
        guard count.isFinite, let whole = Int64(exactly: count), range.contains(whole) else { return nil }
        return whole
    }

    /// Returns the seconds since the reference date for microseconds since 2000.
    package static func seconds(_ count: Int64) -> Double {
        // Whole seconds and the rest apart: each is exact.
        let (whole, rest) = count.quotientAndRemainder(dividingBy: 1_000_000)
        return Double(whole) - epochOffset + Double(rest) / microseconds
    }

    /// Returns seconds since the reference date rounded to microseconds; nil out of range.
    package static func rounded(_ seconds: Double) -> Double? { count(seconds).map(Self.seconds) }
}
