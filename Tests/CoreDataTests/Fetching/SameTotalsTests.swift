import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Random fetches of dictionaries say the same of a SQLite store and of one in memory, which share no code but the rules of
/// comparisons.
///
/// Aggregates over a to-many relationship are of all that a group's rows lead to, in one row (Apple joins the tables); the sum
/// of nothing is 0 (Apple's SQL has `total`).
@Suite("Totals in every store")
struct SameTotalsTests {
    static func model() -> NSManagedObjectModel {
        let item = LibraryModel.entity("Item"), part = LibraryModel.entity("Part"), tag = LibraryModel.entity("Tag")
        item.properties = [
            LibraryModel.attribute("name", .stringAttributeType),
            LibraryModel.attribute("rank", .integer16AttributeType),
            LibraryModel.attribute("price", .decimalAttributeType),
            LibraryModel.attribute("weight", .doubleAttributeType),
        ]
        part.properties = [
            LibraryModel.attribute("count", .integer16AttributeType),
            LibraryModel.attribute("cost", .decimalAttributeType),
            LibraryModel.attribute("size", .floatAttributeType),
        ]
        tag.properties = [
            LibraryModel.attribute("word", .stringAttributeType),
            LibraryModel.attribute("worth", .integer64AttributeType),
        ]
        LibraryModel.relate(item, "parts", many: true, part, "item", many: false)
        LibraryModel.relate(item, "steps", many: true, part, "stepOf", many: false, ordered: true)
        LibraryModel.relate(item, "tags", many: true, tag, "items", many: true)
        LibraryModel.relate(item, "children", many: true, item, "parent", many: false)
        let model = NSManagedObjectModel()
        model.entities = [item, part, tag]
        return model
    }

    /// - Parameter store: Where the objects go; nil for the only store.
    static func fill(
        _ context: NSManagedObjectContext, _ random: inout SeededGenerator, into store: NSPersistentStore? = nil
    ) throws {
        let tags = (0..<4).map { context.insert("Tag", ["word": "t\($0)", "worth": $0 * 7]) }
        var items: [NSManagedObject] = []
        for _ in 0..<24 {
            let item = context.insert("Item")
            if Int.random(in: 0..<5, using: &random) > 0 {
                item.setValue(["a", "b", "c"].randomElement(using: &random)!, forKey: "name")
            }
            if Int.random(in: 0..<5, using: &random) > 0 {
                item.setValue(Int.random(in: 0..<4, using: &random), forKey: "rank")
            }
            if Int.random(in: 0..<4, using: &random) > 0 { item.setValue(decimal(&random), forKey: "price") }
            if Int.random(in: 0..<4, using: &random) > 0 {
                item.setValue(Double(Int.random(in: -8..<8, using: &random)) / 4, forKey: "weight")
            }
            if let parent = items.randomElement(using: &random), Bool.random(using: &random) {
                item.setValue(parent, forKey: "parent")
            }
            item.setValue(Set(tags.filter { _ in Bool.random(using: &random) }), forKey: "tags")
            items.append(item)
        }
        for _ in 0..<50 {
            let part = context.insert("Part")
            if Bool.random(using: &random) {
                part.setValue(Int.random(in: 20_000..<32_000, using: &random), forKey: "count")
            }
            if Bool.random(using: &random) { part.setValue(decimal(&random), forKey: "cost") }
            if Bool.random(using: &random) {
                part.setValue(Float(Int.random(in: 0..<9, using: &random)) / 2, forKey: "size")
            }
            if Bool.random(using: &random) { part.setValue(items.randomElement(using: &random)!, forKey: "item") }
            if Bool.random(using: &random) { part.setValue(items.randomElement(using: &random)!, forKey: "stepOf") }
        }
        if let store { for object in context.insertedObjects { context.assign(object, to: store) } }
        try context.save()
        context.reset()
    }

    private static func decimal(_ random: inout SeededGenerator) -> NSDecimalNumber {
        let cents = Int.random(in: -500..<3000, using: &random)
        return NSDecimalNumber(mantissa: UInt64(cents.magnitude), exponent: -2, isNegative: cents < 0)
    }

    private static let values = [
        "rank", "price", "weight", "parent.rank", "parent.price", "parts.count", "parts.cost", "parts.size",
        "steps.cost", "tags.worth",
        "children.price", "children.rank", "parent.parts.count",
    ]
    private static let objects = ["parts", "steps", "tags", "children", "parent.children", "self"]
    private static let keys = ["name", "rank", "price", "weight", "parent", "parent.name"]

    static func request(_ random: inout SeededGenerator) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        let groups = Array(keys.shuffled(using: &random).prefix(Int.random(in: 0..<3, using: &random)))
        var columns: [Any] = groups
        var names: [String] = []
        for number in 0...Int.random(in: 0..<3, using: &random) {
            let function = ["count:", "sum:", "min:", "max:", "average:"].randomElement(using: &random)!
            let paths = function == "count:" ? values + objects : values
            let column = NSExpressionDescription()
            column.name = "c\(number)"
            column.expression = NSExpression(
                forFunction: function, arguments: [NSExpression(forKeyPath: paths.randomElement(using: &random)!)])
            column.expressionResultType = [.undefinedAttributeType, .doubleAttributeType].randomElement(using: &random)!
            columns.append(column)
            names.append(column.name)
        }
        request.propertiesToFetch = columns
        if !groups.isEmpty {
            request.propertiesToGroupBy = groups
            if Bool.random(using: &random) {
                let format = ["$c0 > 3", "$c0 == 0", "$c0 != nil", "$c0 <= 20.5"].randomElement(using: &random)!
                request.havingPredicate = NSPredicate(format: format)
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let formats = ["rank > 1", "name == 'zz'", "parts.@count > 1", "price >= 9.99", "ANY tags.word == 't1'"]
            request.predicate = NSPredicate(format: formats.randomElement(using: &random)!)
        }
        return request
    }

    /// The rows of an answer as texts, in any order; numbers to ten digits.
    static func rows(
        _ request: NSFetchRequest<NSDictionary>, _ context: NSManagedObjectContext,
        _ names: [NSManagedObjectID: String]
    ) throws -> [String] {
        try texts(context.fetch(request), names).sorted()
    }

    static func texts(_ found: [NSDictionary], _ names: [NSManagedObjectID: String]) -> [String] {
        found.map { row in
            (row as! [String: Any]).map { key, value in
                let text =
                    switch value {
                    case let id as NSManagedObjectID: names[id] ?? "?"
                    case let number as NSNumber: String(format: "%.10g", Double("\(number)") ?? .nan)
                    default: "\(value)"
                    }
                return "\(key)=\(text)"
            }.sorted().joined(separator: " ")
        }
    }

    /// What objects are called in both stores: they are the same by the order they were made in.
    static func names(_ context: NSManagedObjectContext) throws -> [NSManagedObjectID: String] {
        var names: [NSManagedObjectID: String] = [:]
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        for item in try context.fetch(request) {
            let values: [String: Any] = item.dictionaryWithValues(forKeys: ["name", "rank", "price", "weight"])
            names[item.objectID] = "\(values.sorted { $0.key < $1.key })"
        }
        return names
    }

    /// PostgreSQL may refuse a fetch, as those with means of decimals, but gives no other answer.
    @Test func randomFetchesAgree() throws {
        var (answered, refused) = (0, 0)
        for seed in 0..<20 as Range<UInt64> {
            var answers: [StoreKind: [[String]?]] = [:]
            var formats: [String] = []
            for kind in StoreKind.allCases {
                let library = try Library(Self.model(), store: kind)
                var random = SeededGenerator(state: seed)
                answers[kind] =
                    try library.context.performAndWait {
                        try Self.fill(library.context, &random)
                        let names = try Self.names(library.context)
                        return try (0..<50).map { _ in
                            let request = Self.request(&random)
                            if kind == .sqlite { formats.append("\(request)") }
                            do {
                                return try Self.rows(request, library.context, names)
                            } catch let error as NSError where kind == .postgreSQL && error.code == NSCoreDataError {
                                return nil
                            }
                        }
                    }
            }
            for (number, memory) in answers[.memory, default: []].enumerated() {
                #expect(memory == answers[.sqlite]?[number], "seed \(seed), fetch \(number): \(formats[number])")
                guard let server = answers[.postgreSQL] else { continue }
                if server[number] == nil { refused += 1 } else { answered += 1 }
                #expect(
                    server[number] == nil || server[number] == memory,
                    "over PostgreSQL, seed \(seed), fetch \(number): \(formats[number])")
            }
        }
        #expect(refused <= answered, "\(refused) fetches were refused.")
    }
}
