import CoreData

/// Parses dates for imports: without a formatter for the internet format (RFC 3339), by pattern otherwise.
struct ImportDates: @unchecked Sendable {
    private let pattern: String
    private let isUnixTime: Bool
    /// Whether texts are first parsed without a formatter, which takes a hundredth of the time.
    private let isInternetDate: Bool
    /// Date formatters by locale and pattern, since creating them is costly; used with the lock held.
    private static let formatters = Locked<[String: DateFormatter]>([:])

    init(pattern: String?) {
        self.pattern = pattern ?? ImportKey.defaultDateFormat
        isUnixTime = pattern == ImportKey.unixTime
        isInternetDate = Self.internetPatterns.contains(self.pattern)
    }

    /// The patterns that mean the internet format; the parser accepts every zone format that these letters allow.
    private static let internetPatterns = Set(
        ["z", "Z", "ZZZZ", "ZZZZZ", "X", "XX", "XXX", "XXXXX", "x", "xx", "xxx", "xxxxx"].flatMap { zone in
            ["yyyy-MM-dd'T'HH:mm:ss" + zone, "yyyy-MM-dd'T'HH:mm:ss.SSS" + zone]
        })

    /// Returns the date for a value of a record, or nil. Numbers are seconds since 1970, with `UnixTime` milliseconds; texts
    /// without a zone are in GMT.
    func date(from value: Any) -> Date? {
        if ImportedValue.isText(value), let text = value as? String { return date(text) }
        if let number = value as? NSNumber { return Self.date(number.doubleValue, milliseconds: isUnixTime) }
        return value as? Date ?? (value as? String).flatMap(date)
    }

    private func date(_ text: String) -> Date? {
        if isUnixTime { return Double(text).map { Self.date($0, milliseconds: true) } }
        if isInternetDate, let date = Self.internetDate(text) { return date }
        return Self.date(text, pattern: pattern)
    }

    static func date(_ number: Double, milliseconds: Bool) -> Date {
        Date(timeIntervalSince1970: milliseconds ? number / 1000 : number)
    }

    /// Parses a date by pattern, first in the `en_US_POSIX` locale, then in the user's.
    static func date(_ text: String, pattern: String) -> Date? {
        formatters.withLock { formatters in
            for locale in ["en_US_POSIX", Locale.current.identifier] {
                let key = locale + "|" + pattern
                let formatter = formatters[key] ?? Self.formatter(pattern, locale)
                formatters[key] = formatter
                if let date = formatter.date(from: text) { return date }
            }
            return nil
        }
    }

    /// Returns a new formatter for GMT.
    static func formatter(_ pattern: String, _ locale: String = "en_US_POSIX") -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: locale)
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = pattern
        return formatter
    }

    /// Parses `2011-07-23T22:30:40Z`, with an optional fraction and a zone of the forms `Z`, `+01:00`, `+0100`, `+01`.
    static func internetDate(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes -> Date? in
            var scanner = DateScanner(bytes: bytes)
            guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
                let day = scanner.number(2), scanner.skip("T"), let hour = scanner.number(2), scanner.skip(":"),
                let minute = scanner.number(2), scanner.skip(":"), let second = scanner.number(2),
                (1...12).contains(month), day > 0, hour < 24, minute < 60, second <= 60
            else { return nil }
            let fraction = scanner.fraction()
            guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
            let days = daysSince1970(year, month, day)
            guard days < daysSince1970(year, month + 1, 1) else { return nil }
            // 64 bits: Int has 32 on watches, which overflows in 2038.
            let seconds = Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
            // A leap second must be the last second of a UTC day; it becomes the first of the next.
            guard second < 60 || seconds % 86_400 == 0 else { return nil }
            return Date(timeIntervalSince1970: Double(seconds) + fraction)
        }
    }

    /// Returns the days since 1970-01-01, by counting years that begin in March. Month 13 is the next January.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? month - 3 : month + 9
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * shifted + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Scans the bytes of a date.
private struct DateScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func number(_ digits: Int) -> Int? {
        guard index + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<index + digits] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        index += digits
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func fraction() -> Double {
        guard skip(".") else { return 0 }
        var value = 0.0
        var scale = 0.1
        while index < bytes.count, (48...57).contains(bytes[index]) {
            value += Double(bytes[index] - 48) * scale
            scale /= 10
            index += 1
        }
        return value
    }

    /// Reads a zone and returns its offset in seconds east of Greenwich.
    mutating func zone() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = isAtEnd ? 0 : number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }
}
