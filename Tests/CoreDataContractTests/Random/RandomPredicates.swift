#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// Random predicates as formats with arguments. Rows as arguments are references, for each store's objects.
struct RandomPredicates {
    struct Question {
        var entity: String
        var format: String
        var arguments: [Any?]
        var sort: [String]
        var limit: Int
        var offset: Int
        var includesSubentities: Bool

        var isTotallyOrdered: Bool {
            // In memory, NaN has no place in an order.
            let reals = ["double", "float", "rating", "author.rating"]
            guard !sort.contains(where: { reals.contains($0.replacingOccurrences(of: "-", with: "")) }) else {
                return false
            }
            return sort.last.map { $0.hasSuffix(entity == "Sample" ? "count" : "published") } ?? false
        }
    }

    private var random: RandomValues
    private let rows: [String: [RandomRows.Row]]
    private var arguments: [Any?] = []

    init(seed: UInt64, _ rows: [RandomRows.Row]) {
        random = RandomValues(seed: seed)
        self.rows = Dictionary(grouping: rows) { $0.entity == "Novel" || $0.entity == "Saga" ? "Book" : $0.entity }
    }

    mutating func next() -> Question {
        arguments = []
        let entity = random.pick(["Sample", "Sample", "Sample", "Book", "Book", "Author"])
        let format = condition(entity, depth: 0)
        var question = Question(
            entity: entity, format: format, arguments: arguments, sort: [], limit: 0, offset: 0,
            includesSubentities: random.below(8) > 0)
        if random.below(3) == 0 { question.sort = sort(entity) }
        if random.below(4) == 0 { question.limit = random.below(20) + 1 }
        if question.limit > 0, random.below(2) == 0 { question.offset = random.below(5) }
        return question
    }

    private mutating func sort(_ entity: String) -> [String] {
        let keys: [String] =
            switch entity {
            case "Sample":
                ["short", "int", "long", "flag", "double", "float", "date", "text", "link", "decimal", "uuid", "bytes"]
            case "Book": ["title", "pages", "price", "author.name", "author.rating"]
            default: ["name", "rating", "born"]
            }
        var sort = (0..<random.below(3)).map { _ in random.pick(["", "-"]) + random.pick(keys) }
        if entity != "Author", random.below(4) > 0 {
            sort.append(random.pick(["", "-"]) + (entity == "Sample" ? "count" : "published"))
        }
        return sort
    }

    // MARK: Conditions

    private mutating func condition(_ entity: String, depth: Int) -> String {
        if depth < 3, random.below(4) == 0 {
            switch random.below(5) {
            case 0: return "NOT (\(condition(entity, depth: depth + 1)))"
            case 1, 2: return "(\(condition(entity, depth: depth + 1)) OR \(condition(entity, depth: depth + 1)))"
            default: return "(\(condition(entity, depth: depth + 1)) AND \(condition(entity, depth: depth + 1)))"
            }
        }
        switch entity {
        case "Sample": return sample()
        case "Book": return random.below(2) == 0 ? book() : relationship()
        default: return author()
        }
    }

    private mutating func argument(_ value: Any?) -> String {
        arguments.append(value)
        return "%@"
    }

    private let numbers = ["short", "int", "long", "flag", "double", "float", "decimal", "count"]
    private let comparisons = ["==", "!=", "<", "<=", ">", ">="]

    private mutating func sample() -> String {
        switch random.below(10) {
        case 0, 1, 2: return number(random.pick(numbers), in: "Sample")
        case 3:
            return "\(random.pick(numbers)) \(random.pick(comparisons)) \(random.pick(numbers))"
        case 4: return computed()
        case 5, 6, 7: return text(random.pick(["text", "text", "text", "link"]), in: "Sample")
        case 8: return date("date")
        default: return other()
        }
    }

    /// Returns a number as a constant: a value of a row or of the edges of a type.
    private mutating func constant(_ attribute: String, in entity: String) -> Any? {
        switch random.below(6) {
        case 0: return random.pick(RandomValues.integers)
        case 1: return random.pick(RandomValues.doubles)
        case 2: return NSDecimalNumber(string: random.pick(RandomValues.decimals))
        default: return random.pick(rows[entity] ?? []).values[attribute] ?? 1
        }
    }

    private mutating func number(_ attribute: String, in entity: String) -> String {
        switch random.below(8) {
        case 0: return "\(attribute) \(random.pick(["==", "!="])) nil"
        case 1:
            let list = (0..<random.below(4)).map { _ in constant(attribute, in: entity) as Any }
            return "\(random.pick(["", "NOT "]))\(attribute) IN \(argument(list))"
        case 2:
            let bounds = (0..<2).map { _ in constant(attribute, in: entity) as Any }
            return "\(attribute) BETWEEN \(argument(bounds))"
        default: return "\(attribute) \(random.pick(comparisons)) \(argument(constant(attribute, in: entity)))"
        }
    }

    private mutating func computed() -> String {
        let attribute = random.pick(numbers)
        let term: String =
            switch random.below(9) {
            case 0: "\(attribute) + \(random.pick(["1", "short", "int", "double"]))"
            case 1: "\(attribute) - \(random.pick(["1", "short", "count"]))"
            case 2: "\(attribute) * \(random.pick(["2", "short", "double"]))"
            case 3: "\(attribute) / \(random.pick(["2", "short", "double", "0"]))"
            case 4: "abs:(\(attribute))"
            case 5: "\(random.pick(["sqrt", "floor", "ceiling", "trunc"])):(\(attribute))"
            case 6: "modulus:by:(\(attribute), \(random.pick(["3", "short", "-7"])))"
            case 7: "\(random.pick(["bitwiseAnd", "bitwiseOr", "bitwiseXor"])):with:(\(attribute), 5)"
            default: "CAST(\(attribute), 'NSNumber')"
            }
        return "\(term) \(random.pick(comparisons)) \(argument(constant(attribute, in: "Sample")))"
    }

    private mutating func date(_ attribute: String) -> String {
        switch random.below(5) {
        case 0: return "\(attribute) \(random.pick(["==", "!="])) nil"
        case 1: return "\(attribute) IN \(argument([random.date(), random.date()].compactMap { $0 }))"
        case 2:
            return "\(attribute) BETWEEN \(argument([random.date() ?? .distantPast, random.date() ?? .distantFuture]))"
        default: return "\(attribute) \(random.pick(comparisons)) \(argument(random.date() ?? .distantFuture))"
        }
    }

    private mutating func other() -> String {
        switch random.below(5) {
        case 0: return "uuid \(random.pick(["==", "!="])) \(argument(random.uuid()))"
        case 1: return "bytes \(random.pick(["==", "!="])) \(argument(random.data()))"
        case 2: return "uuid IN \(argument([random.uuid(), random.uuid()].compactMap { $0 }))"
        case 3: return "link \(random.pick(["==", "!=", "<"])) \(argument(random.link()))"
        default: return "\(random.pick(["uuid", "bytes", "link", "flag"])) \(random.pick(["==", "!="])) nil"
        }
    }

    // MARK: Text

    private mutating func needle(_ attribute: String, in entity: String) -> String {
        switch random.below(4) {
        case 0:
            let whole = random.pick(rows[entity] ?? []).values[attribute]
            return whole as? String ?? (whole as? URL)?.absoluteString ?? ""
        case 1: return (random.text() ?? "") + (random.text() ?? "")
        default: return random.pick(RandomValues.texts)
        }
    }

    private mutating func text(_ attribute: String, in entity: String) -> String {
        let options = random.pick(["", "", "[c]", "[d]", "[cd]", "[cd]", "[n]"])
        switch random.below(10) {
        case 0: return "\(attribute) \(random.pick(["==", "!="])) nil"
        case 1:
            let list = (0..<random.below(4)).map { _ in needle(attribute, in: entity) }
            return "\(attribute) IN\(options) \(argument(list))"
        case 2: return "\(attribute).length \(random.pick(comparisons)) \(random.below(4))"
        case 3:
            let pattern =
                random.pick(["*", "?", "a*", "*e*", "*\u{301}", "??", "", "\\*", "*s", "*S*s"])
                + random.pick(["", "*", "a"])
            return "\(attribute) LIKE\(options) \(argument(pattern))"
        case 4:
            let pattern = random.pick([
                ".*", "a.*", "[a-z]+", "[^a]*", ".", "(a|b).*", "a{1,2}.*", "\\p{L}+", "s+", "..", "",
            ])
            return "\(attribute) MATCHES\(options) \(argument(pattern))"
        case 5 where entity == "Sample":
            let comparison = random.pick(["==", "!=", "<", "CONTAINS", "BEGINSWITH", "ENDSWITH"])
            return "text \(comparison)\(options) link"
        case 6, 7:
            return "\(attribute) \(random.pick(comparisons))\(options) \(argument(needle(attribute, in: entity)))"
        default:
            let comparison = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH"])
            return "\(attribute) \(comparison)\(options) \(argument(needle(attribute, in: entity)))"
        }
    }

    // MARK: Relationships

    private mutating func object(_ entity: String) -> String {
        argument(random.pick(rows[entity] ?? []).reference)
    }

    private mutating func book() -> String {
        switch random.below(5) {
        case 0: return text("title", in: "Book")
        case 1: return number("pages", in: "Book")
        case 2: return number("price", in: "Book")
        case 3: return text("author.name", in: "Author")
        default: return number("author.rating", in: "Author")
        }
    }

    private mutating func relationship() -> String {
        switch random.below(9) {
        case 0: return "author \(random.pick(["==", "!="])) \(object("Author"))"
        case 1: return "author \(random.pick(["==", "!="])) nil"
        case 2: return "ANY tags == \(object("Tag"))"
        case 3: return "\(random.pick(["ANY", "ALL", "NONE"])) tags.\(number("weight", in: "Tag"))"
        case 4: return "tags.@count \(random.pick(comparisons)) \(random.below(4))"
        case 5:
            return
                "SUBQUERY(tags, $t, $t.\(number("weight", in: "Tag"))).@count \(random.pick(comparisons)) \(random.below(3))"
        case 6: return "author.books.@count \(random.pick(comparisons)) \(random.below(8))"
        case 7: return "SELF \(random.pick(["==", "!="])) \(object("Book"))"
        default: return "\(random.pick(["ANY", "ALL", "NONE"])) tags.\(text("word", in: "Tag"))"
        }
    }

    private mutating func author() -> String {
        switch random.below(8) {
        case 0: return text("name", in: "Author")
        case 1: return number("rating", in: "Author")
        case 2: return date("born")
        case 3: return "\(random.pick(["ANY", "ALL", "NONE"])) books.\(number("pages", in: "Book"))"
        case 4:
            return
                "books.@\(random.pick(["sum", "min", "max", "avg"])).pages \(random.pick(comparisons)) \(random.below(500))"
        case 5: return "\(random.pick(["ANY", "ALL", "NONE"])) books.\(text("title", in: "Book"))"
        case 6:
            return
                "SUBQUERY(books, $b, $b.\(text("title", in: "Book"))).@count \(random.pick(comparisons)) \(random.below(4))"
        default: return "books.@count \(random.pick(comparisons)) \(random.below(8))"
        }
    }
}
#endif
