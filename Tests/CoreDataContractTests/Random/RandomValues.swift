#if PostgreSQL
import Foundation

/// Random values, with those at the edges of each type.
struct RandomValues: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
    private mutating func orNil<Value>(_ value: Value) -> Value? { below(6) == 0 ? nil : value }

    static let texts = [
        "", "a", "A", "e", "é", "e\u{301}", "É", "ß", "ss", "SS", "ẞ", "İ", "i", "I", "ı", "I\u{307}", "ﬁ", "fi", "σ",
        "ς",
        "Σ", "abc", "ABC", "Straße", "STRASSE", "strasse", "a\u{323}\u{301}", "a\u{301}\u{323}", "한",
        "\u{1112}\u{1161}\u{11AB}",
        "😀", "👩‍👧", "%", "_", "\\", "a*b", "a?b", "10", "9", "Zoë", "zoe", "\u{301}", " a", "a ", "'", "\"", "שָׁלוֹם", "क्षि",
        "A\u{30A}ngström",
        "Ångström", "Å", "naïve", "\u{1F3F4}\u{E0067}", "\t", "\n", "ǆ", "Ǆ", "ǅ", "ΐ", "\u{FFFF}",
    ]

    mutating func text() -> String? {
        switch below(4) {
        case 0: nil
        case 1: pick(Self.texts) + pick(Self.texts)
        default: pick(Self.texts)
        }
    }

    static let integers: [Int64] = [
        0, 1, -1, 2, 7, 100, -100, 32767, -32768, 2_147_483_647, -2_147_483_648, 1 << 53, (1 << 53) + 1, .max, .min,
        .max - 1,
    ]

    mutating func integer(bits: Int) -> Int64? {
        let value = below(2) == 0 ? pick(Self.integers) : Int64(below(10)) - 3
        return orNil(bits == 64 || value.magnitude < 1 << (bits - 1) ? value : value % 1000)
    }

    mutating func small() -> Int? { orNil(below(8) * 50) }

    static let doubles: [Double] = [
        0, -0.0, 1, 0.1, 0.5, -2.5, 1e300, -1e300, 1e-300, 9_007_199_254_740_992, Double.leastNonzeroMagnitude, 1.5, 2,
        100, .nan,
        .infinity, -.infinity,
    ]

    mutating func double() -> Double? { orNil(below(2) == 0 ? pick(Self.doubles) : Double(below(40)) / 4 - 3) }
    mutating func float() -> Float? { orNil(pick([0, 0.1, 1, -2.5, 3.4e38, 1.5, 100, .nan])) }

    static let decimals = [
        "0", "1", "-1", "0.1", "0.10", "1.5", "99999999999999999999999999999999999999",
        "-99999999999999999999999999999999999999",
        "0.00000000000000000000000000000000000001", "12345678901234567890.123456789012345678", "1e100", "1e-100", "9.5",
        "100",
    ]

    mutating func decimal() -> NSDecimalNumber? {
        orNil(NSDecimalNumber(string: below(2) == 0 ? pick(Self.decimals) : "\(below(50)).\(below(100))"))
    }

    /// Dates with whole microseconds, as the server has them.
    mutating func date() -> Date? {
        let seconds = pick([0, 1, -1, 700_000_000, -1_000_000_000, 86400])
        let microseconds = pick([0, 1, 999_999, 500_000, 123_456])
        return orNil(Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(microseconds) / 1_000_000))
    }

    mutating func data() -> Data? { orNil(Data((0..<below(3)).map { _ in UInt8(below(2) * 255) })) }
    mutating func uuid() -> UUID? {
        orNil(UUID(uuid: (UInt8(below(4)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255)))
    }
    mutating func link() -> URL? { orNil(URL(fileURLWithPath: "/\(pick(["a", "A", "b", "é"]))")) }

    mutating func sample(_ number: Int) -> [String: Any?] {
        [
            "short": integer(bits: 16).map { Int16($0) }, "int": integer(bits: 32).map { Int32($0) },
            "long": integer(bits: 64), "flag": below(3) == 0 ? nil : below(2) == 0, "double": double(),
            "float": float(),
            "date": date(), "text": text(), "link": link(), "bytes": data(), "uuid": uuid(), "decimal": decimal(),
            "count": Int32(number),
        ]
    }
}
#endif
