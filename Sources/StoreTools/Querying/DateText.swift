#if canImport(CoreDataSQLiteStorage)
import Foundation

/// Dates as text in the form of ISO 8601: `2024-05-31`, `2024-05-31T10:30Z`, `2024-05-31 10:30:00.5+02:00`.
enum DateText {
    /// Reads a date; without an offset it is in UTC. Returns nil for other text.
    static func date(_ text: String) -> Date? {
        var rest = Substring(text)
        guard let year = digits(4, &rest), skip("-", &rest), let month = digits(2, &rest), skip("-", &rest),
            let day = digits(2, &rest), (1...12).contains(month), (1...days(in: month, of: year)).contains(day)
        else { return nil }
        var seconds = Double(dayNumber(year, month, day)) * 86400
        guard !rest.isEmpty else { return Date(timeIntervalSince1970: seconds) }
        guard skip("T", &rest) || skip("t", &rest) || skip(" ", &rest), let hour = digits(2, &rest), skip(":", &rest),
            let minute = digits(2, &rest), hour < 24, minute < 60
        else { return nil }
        seconds += Double(hour * 3600 + minute * 60)
        if skip(":", &rest) {
            guard let second = digits(2, &rest), second < 61 else { return nil }
            seconds += Double(second)
            if skip(".", &rest) {
                let fraction = rest.prefix { $0.isASCII && $0.isNumber }
                guard !fraction.isEmpty, let value = Double("0." + fraction) else { return nil }
                seconds += value
                rest = rest.dropFirst(fraction.count)
            }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset))
    }

    private static func offset(_ rest: inout Substring) -> Int? {
        if rest.isEmpty || skip("Z", &rest) || skip("z", &rest) { return 0 }
        let sign = skip("+", &rest) ? 1 : skip("-", &rest) ? -1 : 0
        guard sign != 0, let hours = digits(2, &rest) else { return nil }
        _ = skip(":", &rest)
        guard let minutes = digits(2, &rest), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func skip(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func digits(_ count: Int, _ rest: inout Substring) -> Int? {
        let found = rest.prefix(count)
        guard found.utf8.count == count, found.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return Int(found)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Returns the number of days since 1970 in the Gregorian calendar.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that the leap day is the last one.
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
#endif
