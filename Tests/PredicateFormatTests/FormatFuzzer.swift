import PredicateFormat

/// Makes random formats, sensible and senseless, and checks that nothing crashes and that what parses prints as text
/// that parses to the same tree.
struct FormatFuzzer {
    private(set) var inputs = 0
    private(set) var parsed = 0
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    /// Runs `count` inputs.
    ///
    /// - Returns: a description of the first failure, or nil.
    mutating func run(_ count: Int) -> String? {
        for _ in 0..<count {
            inputs += 1
            var text = predicate(depth: 3)
            if random(3) == 0 { text = mutated(text) }
            if let failure = check(text) { return failure }
        }
        return nil
    }

    private mutating func check(_ text: String) -> String? {
        guard let node = try? PredicateNode(format: text, arguments: Self.arguments) else { return nil }
        parsed += 1
        let printed = node.predicateFormat
        if !text.contains("%") || !printed.contains("<") {
            guard let again = try? PredicateNode(format: printed) else { return "\(text)\nprints as\n\(printed)" }
            guard again == node, again.hashValue == node.hashValue else {
                return "\(text)\nprints as\n\(printed)\nwhich reads as\n\(again.predicateFormat)"
            }
        }
        let predicate = NSPredicate(node: node)
        let answer = try? predicate.evaluateThrowing(with: Self.object)
        // A format parsed before is filled in from memory.
        if inputs % 4 == 0 {
            for _ in 0..<2 {
                guard let remembered = try? NSPredicate.parse(text, arguments: Self.arguments) else {
                    return "\(text)\nno longer parses"
                }
                guard remembered.node == node else {
                    return "\(text)\nis remembered as\n\(remembered.node.predicateFormat)"
                }
                let again = try? remembered.evaluateThrowing(with: Self.object)
                if again != answer, !text.contains("now") { return "\(text)\nchanges its answer" }
            }
        }
        return nil
    }

    nonisolated(unsafe) private static let arguments: [Any?] = ["a.b", 3, "text", nil, [1, 2], 1.5]
    nonisolated(unsafe) private static let object: [String: Any] = [
        "a": 1, "b": ["c": 2.5], "name": "Anna Ünal", "items": [["price": 3], ["price": 6]], "nested": [[1], [2, 3]],
        "date": Date(timeIntervalSinceReferenceDate: 0), "none": NSNull(), "set": Set(["x", "y"]),
    ]

    // MARK: Random numbers

    private mutating func random(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    private mutating func pick(_ choices: [String]) -> String {
        choices[random(choices.count)]
    }

    // MARK: Grammar

    private mutating func predicate(depth: Int) -> String {
        guard depth > 0 else { return comparison(depth: 0) }
        switch random(8) {
        case 0: return "\(predicate(depth: depth - 1)) \(pick(["AND", "&&", "and"])) \(predicate(depth: depth - 1))"
        case 1: return "\(predicate(depth: depth - 1)) \(pick(["OR", "||"])) \(predicate(depth: depth - 1))"
        case 2: return "\(pick(["NOT", "!"])) \(predicate(depth: depth - 1))"
        case 3: return "(\(predicate(depth: depth - 1)))"
        case 4: return pick(["TRUEPREDICATE", "FALSEPREDICATE", "%@"])
        default: return comparison(depth: depth)
        }
    }

    private mutating func comparison(depth: Int) -> String {
        let quantifier = random(5) == 0 ? pick(["ANY ", "ALL ", "NONE ", "SOME "]) : ""
        let comparison = pick([
            "==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
            "MATCHES", "BETWEEN",
        ])
        let options = random(4) == 0 ? pick(["[c]", "[d]", "[cd]", "[n]", "[cdl]"]) : ""
        return "\(quantifier)\(expression(depth: depth)) \(comparison)\(options) \(expression(depth: depth))"
    }

    private mutating func expression(depth: Int) -> String {
        guard depth > 0 else { return atom() }
        let inner = depth - 1
        switch random(16) {
        case 0, 1:
            let symbol = pick(["+", "-", "*", "/", "**", "&", "|", "^", "<<", ">>", "UNION", "MINUS"])
            return "\(expression(depth: inner)) \(symbol) \(expression(depth: inner))"
        case 2: return "(\(expression(depth: inner)))"
        case 3: return "\(pick(["-", "~"]))\(expression(depth: inner))"
        case 4: return "{\(expression(depth: inner)), \(expression(depth: inner))}"
        case 5: return "SUBQUERY(\(expression(depth: inner)), $x, \(predicate(depth: inner))).@count"
        case 6: return "TERNARY(\(predicate(depth: inner)), \(expression(depth: inner)), \(expression(depth: inner)))"
        case 7:
            return "CAST(\(expression(depth: inner)), '\(pick(["NSDate", "NSNumber", "NSString", "NSDecimalNumber"]))')"
        case 8:
            let name = pick([
                "sum:", "count", "max:", "abs", "sqrt:", "uppercase:", "length:", "floor", "canonical:", "median:",
            ])
            return "\(name)(\(expression(depth: inner)))"
        case 9: return "\(expression(depth: inner))[\(pick(["FIRST", "LAST", "SIZE", "0", "'k'", "a"]))]"
        case 10:
            return "\(expression(depth: inner)).\(pick(["a", "#size", "@count", "@sum.price", "@max.self", "first"]))"
        case 11: return "FUNCTION(\(expression(depth: inner)), '\(pick(["uppercaseString", "description", "length"]))')"
        case 12: return "$v := \(expression(depth: inner))"
        default: return atom()
        }
    }

    private mutating func atom() -> String {
        pick([
            "a", "b.c", "name", "items.price", "items.@sum.price", "none", "date", "set", "nested", "SELF", "#in", "$x",
            "$v",
            "1", "-2", "3.5", "1e3", "0xFF", "0b11", "18446744073709551615", "'x'", "\"q\\\"\\\\\"", "'\\u00e9\\n'",
            "''",
            "'*a?'", "nil", "NULL", "YES", "FALSE", "%@", "%K", "%d", "{}", "{1, 'a', nil}", "now()", "@count",
            "ANYKEY",
            "CAST(1.5, 'NSDate')", "self.a", "items[0].price", "é",
        ])
    }

    private mutating func mutated(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0...random(3) where !bytes.isEmpty {
            let position = random(bytes.count)
            switch random(4) {
            case 0: bytes.remove(at: position)
            case 1: bytes[position] = UInt8(random(256))
            case 2:
                bytes.insert(
                    contentsOf: pick(["(", ")", "[", "'", "\\", ".", "%", "$", "#", "AND ", ":=", "\u{301}"]).utf8,
                    at: position)
            default: bytes.removeSubrange(position..<min(bytes.count, position + 1 + random(8)))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
