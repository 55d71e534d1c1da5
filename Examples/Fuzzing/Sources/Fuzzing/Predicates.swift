import PredicateFormat

extension Target {
    /// Predicate formats. A predicate that parses must print as a format that parses to the same tree, and its evaluation must
    /// return or throw.
    static let predicates = Target(
        name: "predicates",
        words: [
            "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "CONTAINS", "BEGINSWITH", "LIKE", "MATCHES", "BETWEEN",
            "[cd]",
            "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", "FETCH(", "$x", ":=", "@count", "@sum", "#size", "ANYKEY",
            "TRUEPREDICATE", "SELF", "nil", "%@", "%K", "%d", "[FIRST]", "[LAST]", "[SIZE]", "UNION", "INTERSECT",
            "MINUS",
            "sum:", "max:", "median:", "stddev:", "modulus:by:", "uppercase:", "canonical:", "random:", "now()",
            "'NSDate'",
        ],
        seeds: {
            [
                "name CONTAINS[cd] %@ AND NOT a BETWEEN {1, %d}", "ANY items.price > 3 OR %K == nil",
                "SUBQUERY(items, $x, $x.price == 3).@count == 1", "TERNARY(a == 1, 'x', \"y\\n\") MATCHES 'x*'",
                "CAST(date, 'NSNumber') + 2 ** 3 << 1 == $v := 0xFF", "nested[FIRST][0] IN set UNION {1.5e3, -2}",
                "FUNCTION(name, 'uppercaseString') LIKE[c] '*a?'", "sum:({1, 2}) == median:({2, 4})",
                "items.@sum.price != length:(name) || TRUEPREDICATE", "name BEGINSWITH 'An' && now() > date",
            ].map { Data($0) }
        },
        read: { data in
            let text = String(decoding: data, as: UTF8.self)
            let node = try PredicateNode(format: text, arguments: arguments)
            let printed = node.predicateFormat
            if !text.contains("%") || !printed.contains("<") {
                guard let again = try? PredicateNode(format: printed) else { fatalError("\(printed) does not parse") }
                require(again == node, "\(printed) parses as another predicate")
                require(again.hashValue == node.hashValue, "equal predicates have different hashes")
            }
            _ = try NSPredicate(node: node).evaluateThrowing(with: object)
        })

    nonisolated(unsafe) private static let arguments: [Any?] = ["a.b", 3, "text", nil, [1, 2], 1.5]
    nonisolated(unsafe) private static let object: [String: Any] = [
        "a": 1, "b": ["c": 2.5], "name": "Anna Ünal", "items": [["price": 3], ["price": 6]], "nested": [[1], [2, 3]],
        "date": Date(timeIntervalSinceReferenceDate: 0), "none": NSNull(), "set": Set(["x", "y"]),
    ]
}
