import PredicateFormat
import Testing

/// Formats are parsed once and filled in afterwards; that must not show.
@Suite struct FormatReuseTests {
    @Test func argumentsDifferEachTime() {
        for number in 0..<5 {
            #expect(text(NSPredicate(format: "reuse.a == %d", number)) == "reuse.a == \(number)")
            #expect(text(NSPredicate(format: "reuse.a == %@", "\(number)")) == "reuse.a == \"\(number)\"")
            #expect(text(NSPredicate(format: "%K == %d", "reuse\(number)", number)) == "reuse\(number) == \(number)")
        }
        #expect(text(NSPredicate(format: "%K > %K", "x", "y")) == "x > y")
        #expect(text(NSPredicate(format: "%K > %K", "y", "x")) == "y > x")
    }

    @Test func argumentsInEveryPlace() {
        let format = "SUBQUERY(items, $i, $i.a IN {%d, %@} OR TERNARY(b > %f, %d, c) == 1).@count + abs:(%d) > $v"
        for _ in 0..<3 {
            #expect(
                text(NSPredicate(format: format, 1, "x", 2.5, 3, 4))
                    == "SUBQUERY(items, $i, $i.a IN {1, \"x\"} OR TERNARY(b > 2.5, 3, c) == 1).@count + abs:(4) > $v")
        }
    }

    @Test func predicatesAndExpressionsTakeTheirPlace() {
        let inner = NSPredicate(format: "reuse.b == 1")
        for _ in 0..<3 {
            #expect(text(NSPredicate(format: "reuse.c == %@", 5)) == "reuse.c == 5")
            #expect(text(NSPredicate(format: "reuse.c == %@", NSExpression(forKeyPath: "d.e"))) == "reuse.c == d.e")
            #expect(text(NSPredicate(format: "NOT %@", inner)) == "NOT reuse.b == 1")
        }
    }

    @Test func argumentsThatDecideOnTheTree() {
        for _ in 0..<3 {
            #expect(text(NSPredicate(format: "reuse.d == -%d", 3)) == "reuse.d == -3")
            let date = NSPredicate(format: "reuse.d < CAST(%d, 'NSDate')", 60)
            #expect(text(date) == "reuse.d < CAST(60.000000, \"NSDate\")")
            #expect(
                text(NSPredicate(format: "CAST(reuse.d, %@) == 1", "NSNumber")) == "CAST(reuse.d, \"NSNumber\") == 1")
            let message = NSPredicate(format: "FUNCTION(reuse.d, %@) == 'A'", "uppercaseString")
            #expect(text(message) == "FUNCTION(reuse.d, \"uppercaseString\") == \"A\"")
        }
    }

    @Test func mistakesStayMistakes() {
        for _ in 0..<3 {
            #expect(throws: PredicateFormatError.self) {
                try NSPredicate.parse("reuse.e == %d AND b == %d", arguments: [1])
            }
            #expect(throws: Never.self) { try NSPredicate.parse("reuse.e == %d AND b == %d", arguments: [1, 2]) }
            #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("reuse.e == %d", arguments: ["x"]) }
            #expect(throws: Never.self) { try NSPredicate.parse("reuse.e == %d", arguments: [1]) }
        }
    }

    /// Without arguments even the objects' insides are shared; each is its own object all the same.
    @Test func wholePredicatesAreShared() {
        let (a, b) = (NSPredicate(format: "reuse.f == 1"), NSPredicate(format: "reuse.f == 1"))
        #expect(a == b && a !== b)
        #expect(a.evaluate(with: ["reuse": ["f": 1]]) && b.evaluate(with: ["reuse": ["f": 1]]))
    }

    @Test func manyFormatsFromManyThreads() async {
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    (0..<1500).allSatisfy { number in
                        NSPredicate(format: "made\(number) == %d OR thread == \(thread)", number)
                            .evaluate(with: ["made\(number)": number])
                    }
                }
            }
            for await result in group { #expect(result) }
        }
    }
}
