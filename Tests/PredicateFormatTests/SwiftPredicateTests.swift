import PredicateFormat
import Testing

/// `#Predicate` to `NSPredicate`; the expected texts follow the mapping of Apple's framework.
@Suite struct SwiftPredicateTests {
    final class Track: NSObject {
        var title = "Song"
        var length = 3
        var rating: Double?
        var isLoved = true
        var tags: [String] = ["a", "b"]
        var album: Album? = Album()
        var scores: [Int] = [1, 2]
        var thing = NSObject()
    }

    final class Album: NSObject {
        var name = "LP"
        var label: Label?
    }

    final class Label: NSObject {
        var city: String?
    }

    private func format(_ predicate: Predicate<Track>) throws -> String {
        let converted = try NSPredicate.converting(predicate)
        #expect(NSPredicate(predicate) == converted)
        #expect(try converted.evaluateThrowing(with: Track()) == predicate.evaluate(Track()))
        return converted.node.predicateFormat
    }

    @Test func comparisons() throws {
        let limit = 2
        #expect(try format(#Predicate<Track> { $0.length == 3 }) == "length == 3")
        #expect(try format(#Predicate<Track> { $0.length != limit }) == "length != 2")
        #expect(
            try format(#Predicate<Track> { $0.length > limit && $0.title <= "T" }) == "length > 2 AND title <= \"T\"")
        #expect(try format(#Predicate<Track> { !($0.length < 2) || $0.isLoved }) == "(NOT length < 2) OR isLoved == 1")
        #expect(try format(#Predicate<Track> { $0.rating == nil }) == "rating == nil")
        #expect(try format(#Predicate<Track> { _ in true }) == "TRUEPREDICATE")
    }

    /// What Swift answers where a value is missing is added in words of its own, where one may be.
    @Test func missingValues() throws {
        #expect(try format(#Predicate<Track> { $0.rating != 2 }) == "rating != 2 OR rating == nil")
        #expect(try format(#Predicate<Track> { !($0.rating == 2) }) == "(NOT rating == 2) OR rating == nil")
        #expect(try format(#Predicate<Track> { !($0.rating != 2) }) == "NOT rating != 2")
        #expect(try format(#Predicate<Track> { $0.rating != nil }) == "rating != nil")
        #expect(try format(#Predicate<Track> { !($0.length == 2) }) == "NOT length == 2")
        #expect(
            try format(#Predicate<Track> { $0.album?.name != "LP" })
                == "TERNARY(album != nil, album.name, nil) != \"LP\" OR album.name == nil")
        #expect(try format(#Predicate<Track> { ($0.rating ?? 1) != 2 }) == "TERNARY(rating != nil, rating, 1) != 2")
        #expect(
            try format(#Predicate<Track> { !($0.rating == 2 && $0.length > 1) })
                == "(NOT rating == 2) OR rating == nil OR (NOT length > 1)")
        #expect(
            try format(#Predicate<Track> { $0.album?.label?.city != "Oslo" })
                == "TERNARY(album.label != nil, album.label.city, nil) != \"Oslo\" OR album.label.city == nil")
        let expression = try NSExpression.converting(#Expression<Track, Bool> { $0.rating != 2 })
        #expect(expression.description == "TERNARY(rating != 2 OR rating == nil, 1, 0)")
    }

    @Test func arithmeticAndConditions() throws {
        #expect(try format(#Predicate<Track> { $0.length * 2 + 1 == 7 }) == "length * 2 + 1 == 7")
        #expect(try format(#Predicate<Track> { -$0.length == -3 }) == "length * -1 == -3")
        #expect(
            try format(#Predicate<Track> { ($0.rating ?? 1) > 0.5 }) == "TERNARY(rating != nil, rating, 1) > 0.5")
        #expect(
            try format(#Predicate<Track> { ($0.isLoved ? 1 : 2) == 1 }) == "TERNARY(isLoved == 1, 1, 2) == 1")
        #expect(
            try format(#Predicate<Track> { $0.album?.name == "LP" })
                == "TERNARY(album != nil, album.name, nil) == \"LP\"")
    }

    @Test func stringsAndCollections() throws {
        let wanted = ["Song", "Tune"]
        #expect(try format(#Predicate<Track> { $0.title.contains("on") }) == "title CONTAINS \"on\"")
        #expect(try format(#Predicate<Track> { $0.title.starts(with: "S") }) == "title BEGINSWITH \"S\"")
        #expect(try format(#Predicate<Track> { $0.title.count == 4 }) == "title.length == 4")
        #expect(try format(#Predicate<Track> { $0.title.isEmpty }) == "title.length == 0")
        #expect(try format(#Predicate<Track> { wanted.contains($0.title) }) == "title IN {\"Song\", \"Tune\"}")
        #expect(try format(#Predicate<Track> { $0.tags.contains("a") }) == "\"a\" IN tags")
        #expect(try format(#Predicate<Track> { $0.tags.count > 1 }) == "tags.@count > 1")
        #expect(try format(#Predicate<Track> { !$0.tags.isEmpty }) == "NOT tags.@count == 0")
        #expect(
            try format(#Predicate<Track> { $0.tags.contains { $0 == "b" } })
                == "SUBQUERY(tags, $_local_1, $_local_1 == \"b\").@count != 0")
        #expect(
            try format(#Predicate<Track> { $0.scores.allSatisfy { $0 > 0 } })
                == "SUBQUERY(scores, $_local_1, NOT $_local_1 > 0).@count == 0")
        #expect(
            try format(#Predicate<Track> { $0.scores.filter { $0 > 1 }.count == 1 })
                == "SUBQUERY(scores, $_local_1, $_local_1 > 1).@count == 1")
        #expect(try format(#Predicate<Track> { $0.scores.max() == 2 }) == "scores.@max.self == 2")
        #expect(try format(#Predicate<Track> { $0.scores[0] == 1 }) == "scores[0] == 1")
    }

    @Test func ranges() throws {
        let closed = 1...5
        #expect(try format(#Predicate<Track> { (1...5).contains($0.length) }) == "length BETWEEN {1, 5}")
        #expect(try format(#Predicate<Track> { closed.contains($0.length) }) == "length BETWEEN {1, 5}")
        #expect(try format(#Predicate<Track> { (1..<5).contains($0.length) }) == "length >= 1 AND length < 5")
    }

    @Test func whatCannotBeConvertedSaysWhy() {
        let predicate = #Predicate<Track> { $0.length % 2 == 1 }
        #expect(NSPredicate(predicate) == nil)
        let error = #expect(throws: PredicateConversionError.self) { try NSPredicate.converting(predicate) }
        #expect(error?.expression == "IntRemainder")
        #expect(error?.description.contains("cannot be converted at IntRemainder") == true)
    }

    @Test func everythingWithoutAnEquivalentIsNamed() {
        func name(_ predicate: Predicate<Track>) -> String? {
            #expect(throws: PredicateConversionError.self) { try NSPredicate.converting(predicate) }?.expression
        }
        #expect(name(#Predicate<Track> { $0.length / 2 == 1 }) == "IntDivision")
        #expect(name(#Predicate<Track> { $0.thing is Album }) == "TypeCheck")
        #expect(name(#Predicate<Track> { ($0.thing as? Album) != nil }) == "ConditionalCast")
        #expect(name(#Predicate<Track> { $0.scores.starts(with: [1]) }) == "starts(with:)")
    }

    /// What needs no input is worked out beforehand, whatever it is made of.
    @Test func partsWithoutInputBecomeConstants() throws {
        let (a, b) = (7, 2)
        #expect(try format(#Predicate<Track> { $0.length == a / b }) == "length == 3")
        #expect(try format(#Predicate<Track> { $0.length == a % 4 }) == "length == 3")
    }

    @Test func localizedStandardContains() throws {
        #expect(
            try format(#Predicate<Track> { $0.title.localizedStandardContains("sÖN") })
                == "title CONTAINS[cdl] \"sÖN\"")
        let predicate = #Predicate<Track> { track in track.tags.contains { $0.localizedStandardContains("Á") } }
        #expect(try predicate.evaluate(Track()))
        #expect(
            try format(predicate)
                == "SUBQUERY(tags, $_local_1, $_local_1 CONTAINS[cdl] \"Á\").@count != 0")
        #expect(try !format(#Predicate<Track> { $0.title.localizedStandardContains("") }).isEmpty)
    }

    @Test func swiftExpressions() throws {
        let length = #Expression<Track, Int> { $0.length * 2 }
        let converted = try #require(NSExpression(length))
        #expect(converted.description == "length * 2")
        #expect(try converted.expressionValueThrowing(with: Track()) as? Int == length.evaluate(Track()))
        #expect(
            try NSExpression.converting(#Expression<Track, String> { $0.title }) == NSExpression(forKeyPath: "title"))
        #expect(
            try NSExpression.converting(#Expression<Track, Bool> { $0.length > 2 }).description
                == "TERNARY(length > 2, 1, 0)")
        let remainder = #Expression<Track, Int> { $0.length % 2 }
        #expect(NSExpression(remainder) == nil)
        #expect(
            #expect(throws: PredicateConversionError.self) { try NSExpression.converting(remainder) }?.expression
                == "IntRemainder")
    }
}
