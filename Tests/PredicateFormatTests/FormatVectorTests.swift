import PredicateFormat
import Testing

/// Formats with an object and the answer: the behaviour of Apple's framework.
@Suite struct FormatVectorTests {
    struct Vector: @unchecked Sendable, CustomTestStringConvertible {
        let format: String
        let arguments: [Any]
        let object: Any?
        let answer: Bool
        let printed: String?

        init(
            _ format: String, _ arguments: [Any] = [], on object: Any?, is answer: Bool = true, prints: String? = nil
        ) {
            self.format = format
            self.arguments = arguments
            self.object = object
            self.answer = answer
            printed = prints
        }

        var testDescription: String { format }
    }

    nonisolated(unsafe) static let none: [String: Any] = [:]
    nonisolated(unsafe) static let prices: [String: Any] = ["items": [["price": 3], ["price": 6]]]

    static let vectors: [Vector] = [
        Vector(
            "age >= %d AND name BEGINSWITH[c] %@", [18, "an"], on: ["age": 20, "name": "Anna"] as [String: Any],
            prints: "age >= 18 AND name BEGINSWITH[c] \"an\""),
        Vector("%K == %@", ["a.b", 3], on: ["a": ["b": 3]], prints: "a.b == 3"),
        Vector("name == nil", on: none),
        Vector("name != 'x'", on: none),
        Vector("name IN {'a','b'}", on: ["name": "b"]),
        Vector("'%@' == name", on: ["name": "%@"]),
        Vector("NOT (a IN %@)", [[1, 2]], on: ["a": 3], prints: "NOT a IN {1, 2}"),
        Vector("a BETWEEN %@", [[1, 10]], on: ["a": 10]),
        Vector("a == 1 OR b == 2 AND c == 3", on: ["a": 1], prints: "a == 1 OR (b == 2 AND c == 3)"),
        Vector("ANY items.price > 5", on: prices),
        Vector("ALL items.price > 5", on: ["items": [Any]()]),
        Vector("NONE items.price > 5", on: prices, is: false, prints: "NOT ANY items.price > 5"),
        Vector("items.@count == 2", on: prices),
        Vector("items.@sum.price == 9", on: prices),
        Vector(
            "SUBQUERY(items, $i, $i.price > 5 AND $i.ok == YES).@count > 0",
            on: ["items": [["price": 6, "ok": true] as [String: Any]]],
            prints: "SUBQUERY(items, $i, $i.price > 5 AND $i.ok == 1).@count > 0"),
        Vector("name CONTAINS[cd] 'cafe'", on: ["name": "Le Café"]),
        Vector("name LIKE 'a?c*'", on: ["name": "abcdef"]),
        Vector("name LIKE 'a?c*'", on: ["name": "ac"], is: false),
        Vector("name MATCHES '[0-9]{3}'", on: ["name": "1234"], is: false),
        Vector("name MATCHES '[0-9]{3}'", on: ["name": "123"]),
        Vector("SELF CONTAINS 'b'", on: "abc"),
        Vector("SELF > 3", on: 4),
        Vector("a + b * 2 == 7", on: ["a": 1, "b": 3]),
        Vector("2 ** 3 == 8", on: nil),
        Vector("(flags & 4) == 4", on: ["flags": 6]),
        Vector("date > CAST(0, 'NSDate')", on: ["date": Date()]),
        Vector("TERNARY(a == nil, 0, a) == 0", on: none),
        Vector("#size > 2", on: ["size": 3], prints: "#size > 2"),
        Vector("TRUEPREDICATE", on: nil, prints: "TRUEPREDICATE"),
        Vector("FALSEPREDICATE", on: nil, is: false, prints: "FALSEPREDICATE"),
    ]

    @Test(arguments: vectors)
    func vector(_ vector: Vector) {
        let predicate = NSPredicate(format: vector.format, argumentArray: vector.arguments)
        #expect(predicate.evaluate(with: vector.object) == vector.answer)
        if let printed = vector.printed { #expect(text(predicate) == printed) }
        #expect(NSPredicate(format: text(predicate), argumentArray: nil) == predicate)
    }

    /// Specification rows about nil.
    static let nilVectors: [Vector] = [
        Vector("nil == nil", on: none),
        Vector("x == nil", on: ["x": NSNull()]),
        Vector("x != nil", on: ["x": NSNull()], is: false),
        Vector("x != 1", on: none),
        Vector("x < 1", on: none, is: false),
        Vector("x <= nil", on: none, is: false),
        Vector("1 > x", on: none, is: false),
        Vector("x >= 0", on: none, is: false),
        Vector("x BETWEEN {0, 1}", on: none, is: false),
        Vector("x IN {1, nil}", on: none),
        Vector("x IN {1, 2}", on: none, is: false),
        Vector("x CONTAINS 'a'", on: none, is: false),
        Vector("'a' CONTAINS x", on: none, is: false),
        Vector("x BEGINSWITH 'a'", on: none, is: false),
        Vector("'abc' BEGINSWITH x", on: none, is: false),
        Vector("x LIKE '*'", on: none, is: false),
        Vector("x MATCHES '.*'", on: none, is: false),
        Vector("NOT (x CONTAINS 'a')", on: none),
        Vector("a.b.c == nil", on: ["a": [String: Any]()]),
        Vector("ANY r.a == 1", on: none, is: false),
        Vector("ANY r.a == 1", on: ["r": [Any]()], is: false),
        Vector("ALL r.a == 1", on: none),
        Vector("NONE r.a == 1", on: ["r": [Any]()]),
        Vector("r.@count == 0", on: none),
        Vector("x + 1 == nil", on: none),
    ]

    @Test(arguments: nilVectors)
    func nilRule(_ vector: Vector) {
        #expect(NSPredicate(format: vector.format).evaluate(with: vector.object) == vector.answer)
    }

    static let typeVectors: [Vector] = [
        Vector("x == 1", on: ["x": true]),
        Vector("x == 1.0", on: ["x": Int8(1)]),
        Vector("x == 1", on: ["x": NSNumber(value: 1.0)]),
        Vector("x == YES", on: ["x": NSNumber(value: true)]),
        Vector("x == 18446744073709551615", on: ["x": UInt64.max]),
        Vector("x > 9223372036854775807", on: ["x": UInt64.max]),
        Vector("x < 9007199254740993", on: ["x": 9_007_199_254_740_992.0]),
        Vector("x == 1.5", on: ["x": Decimal(1.5)]),
        Vector("x == 2.5", on: ["x": Float(2.5)]),
        Vector("x == '1'", on: ["x": 1], is: false),
        Vector("x != '1'", on: ["x": 1]),
        Vector("x < '2'", on: ["x": 1], is: false),
        Vector("x == %@", [NSString("abc")], on: ["x": "abc"]),
        Vector("x IN %@", [NSSet(array: [1, 2])], on: ["x": 2]),
        Vector("x IN %@", [["k": 2]], on: ["x": 2]),
        Vector("x IN 'abc'", on: ["x": "b"]),
        Vector("x IN[c] {'A', 'B'}", on: ["x": "b"]),
        Vector("x CONTAINS 2", on: ["x": [1, 2]]),
        Vector("x CONTAINS[cd] 'É'", on: ["x": ["a", "e"]]),
        Vector("x CONTAINS 2", on: ["x": Set([1, 2])]),
        Vector("x == {1, 2}", on: ["x": [1, 2]]),
        Vector("x == {1, 2}", on: ["x": [2, 1]], is: false),
        Vector(
            "x == %@", [UUID(uuidString: "00000000-0000-0000-0000-000000000001")!],
            on: ["x": NSUUID(uuidString: "00000000-0000-0000-0000-000000000001")!]),
        Vector("x == %@", [Data([1, 2])], on: ["x": NSData(bytes: [1, 2] as [UInt8], length: 2)]),
        Vector(
            "d <= %@", [Date(timeIntervalSinceReferenceDate: 5)],
            on: ["d": NSDate(timeIntervalSinceReferenceDate: 5)]),
        Vector("d BETWEEN %@", [[Date.distantPast, Date.distantFuture]], on: ["d": Date()]),
        Vector("x == 3", on: ["x": Int?.some(3) as Any]),
        Vector("x == nil", on: ["x": Int?.none as Any]),
    ]

    @Test(arguments: typeVectors)
    func typeRule(_ vector: Vector) {
        let predicate = NSPredicate(format: vector.format, argumentArray: vector.arguments)
        #expect(predicate.evaluate(with: vector.object) == vector.answer)
    }

    static let stringVectors: [Vector] = [
        Vector("SELF == 'É'", on: "e\u{301}", is: false),
        Vector("SELF ==[c] 'É'", on: "e\u{301}"),
        Vector("SELF ==[c] 'STRASSE'", on: "straße"),
        Vector("SELF ==[d] 'Angstrom'", on: "Ångström"),
        Vector("SELF ==[cd] 'angstrom'", on: "Ångström"),
        Vector("SELF ==[n] 'A'", on: "a", is: false),
        Vector("SELF ==[cn] 'A'", on: "a", is: false),
        Vector("SELF CONTAINS[c] 'E'", on: "cafe\u{301}", is: false),
        Vector("SELF CONTAINS[cd] 'E'", on: "cafe\u{301}"),
        Vector("SELF CONTAINS ''", on: "abc", is: false),
        Vector("SELF BEGINSWITH ''", on: "abc", is: false),
        Vector("SELF ENDSWITH ''", on: "abc", is: false),
        Vector("SELF ENDSWITH[c] 'BC'", on: "abc"),
        Vector("SELF ENDSWITH[c] 'É'", on: "café"),
        Vector("SELF BEGINSWITH[cd] 'ÉC'", on: "école"),
        Vector("SELF LIKE 'a*'", on: "a\nb"),
        Vector("SELF LIKE 'a\\\\*'", on: "a*"),
        Vector("SELF LIKE 'a\\\\*'", on: "ab", is: false),
        Vector("SELF LIKE[cd] '*CAFE?'", on: "le cafés"),
        Vector("SELF LIKE 'caf?'", on: "cafe\u{301}"),
        Vector("SELF LIKE '*a*b*c'", on: "xxaxbbxbxc"),
        Vector("SELF LIKE '*a*b*c'", on: "xxaxbbxbxcd", is: false),
        Vector("SELF LIKE ''", on: ""),
        Vector("SELF MATCHES[c] 'A|AB'", on: "ab"),
        Vector("SELF MATCHES[d] 'cafe'", on: "café"),
        Vector("SELF MATCHES '\\w+'", on: "abc"),
        Vector("SELF < 'b'", on: "a"),
        Vector("SELF <[c] 'B'", on: "a"),
        Vector("SELF <[c] 'B'", on: "b", is: false),
        Vector("SELF >= 'Z'", on: "a"),
        Vector("'b' IN SELF", on: "abc"),
        Vector("'B' IN[c] SELF", on: "abc"),
        Vector("SELF BETWEEN {'a', 'c'}", on: "b"),
        Vector("SELF ==[cdl] 'CAFÉ'", on: "cafe"),
    ]

    @Test(arguments: stringVectors)
    func stringRule(_ vector: Vector) {
        #expect(NSPredicate(format: vector.format).evaluate(with: vector.object) == vector.answer)
    }

    nonisolated(unsafe) static let people: [String: Any] = [
        "teams": [
            ["name": "x", "members": [["age": 10], ["age": 20]]] as [String: Any],
            ["name": "y", "members": [["age": 30]]] as [String: Any],
        ],
        "tags": Set(["a", "b"]), "numbers": [1, 2, 2, 3], "nested": [[1, 2], [2, 3]],
    ]

    static let collectionVectors: [Vector] = [
        Vector("ANY teams.members.age == 30", on: people),
        Vector("ALL teams.members.age >= 10", on: people),
        Vector("ALL teams.members.age >= 20", on: people, is: false),
        Vector("SOME teams.name == 'y'", on: people, prints: "ANY teams.name == \"y\""),
        Vector("teams.name == 'y'", on: people, is: false),
        Vector("ANY teams.name IN {'q', 'x'}", on: people),
        Vector("teams.@count == 2", on: people),
        Vector("tags.@count == 2", on: people),
        Vector("numbers.@sum.self == 8", on: people),
        Vector("numbers.@avg.self == 2", on: people),
        Vector("numbers.@min.self == 1 AND numbers.@max.self == 3", on: people),
        Vector("numbers.@distinctUnionOfObjects.self == {1, 2, 3}", on: people),
        Vector("teams.@unionOfObjects.name == {'x', 'y'}", on: people),
        Vector("nested.@unionOfArrays.self == {1, 2, 2, 3}", on: people),
        Vector("nested.@distinctUnionOfArrays.self == {1, 2, 3}", on: people),
        Vector("numbers[0] == 1 AND numbers[FIRST] == 1", on: people),
        Vector("numbers[LAST] == 3 AND numbers[SIZE] == 4", on: people),
        Vector("numbers[10] == nil", on: people),
        Vector("SELF['numbers'][1] == 2", on: people),
        Vector("teams[0].name == 'x'", on: people),
        Vector("SUBQUERY(teams, $t, SUBQUERY($t.members, $m, $m.age > 15).@count > 0).@count == 2", on: people),
        Vector("SUBQUERY(teams, $t, $t.name IN SELF.tags).@count == 0", on: people),
        Vector("SUBQUERY(teams, $t, ANY $t.members.age == 20).@count == 1", on: people),
        Vector("{1, 2} UNION numbers == {1, 2, 3} UNION {}", on: people),
        Vector("numbers INTERSECT {3, 4} CONTAINS 3", on: people),
        Vector("NOT (numbers MINUS {3} CONTAINS 3)", on: people),
        Vector("empty.@sum.x == 0 AND empty.@avg.x == 0 AND empty.@max.x == nil", on: ["empty": [Any]()]),
        Vector("'abc'.length == 3", on: nil),
        Vector("@count == 3", on: [1, 2, 3]),
    ]

    @Test(arguments: collectionVectors)
    func collectionRule(_ vector: Vector) throws {
        let predicate = NSPredicate(format: vector.format)
        #expect(try predicate.evaluateThrowing(with: vector.object) == vector.answer)
        if let printed = vector.printed { #expect(text(predicate) == printed) }
        #expect(NSPredicate(format: text(predicate)) == predicate)
    }

    static let reservedWords = [
        "and", "or", "not", "in", "between", "contains", "beginswith", "endswith", "like", "matches", "any", "all",
        "some", "none", "true", "false", "yes", "no", "null", "nil", "first", "last", "size", "anykey", "subquery",
        "fetch", "cast", "function", "ternary", "truepredicate", "falsepredicate", "caseinsensitive", "ci",
    ]

    @Test(arguments: reservedWords)
    func reservedWordsAreMarkedWhereTheyAreNames(_ word: String) throws {
        for word in [word, word.uppercased(), word.capitalized] {
            #expect(text(NSPredicate(format: "#\(word) > 1")) == "#\(word) > 1")
            #expect(text(NSPredicate(format: "\(word)s > 1")) == "\(word)s > 1")
        }
    }
}

/// `predicateFormat` without Foundation's deprecation warning.
func text(_ predicate: NSPredicate) -> String {
    predicate.node.predicateFormat
}
