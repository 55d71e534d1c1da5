import CoreData
import CoreDataTestSupport
import Foundation
import PredicateFormat
import MagicalRecordTestSupport
import Testing

/// Fetches by keys that lead nowhere, or to what cannot be sorted, grouped or fetched: each answers or throws, in every kind
/// of store. On Apple's platforms several of these are exceptions.
///
/// `ODD_KEYS_ROUNDS` sets how many are tried.
@Suite struct OddKeysTests {
    private static let parts = [
        "title", "pages", "author", "tags", "books", "name", "word", "rating", "price", "published", "self", "SELF",
        "objectID", "entity", "@count", "@sum", "@max", "@avg", "@unionOfObjects", "@distinctUnionOfSets", "@nothing",
        "unknown", "", " ", "$x", "title ", "ä", "description", "hash", "isDeleted", "managedObjectContext", "length",
        "lowercaseString", "0", "'", "\"", "Z_PK", "ZTITLE", "%@", "\u{0}", "*", "-1", "author'; DROP TABLE ZBOOK; --",
    ]

    private static func key(_ random: inout SeededGenerator) -> String {
        let count = [1, 1, 1, 2, 2, 3, 4, 40].randomElement(using: &random)!
        return (0..<count).map { _ in parts.randomElement(using: &random)! }.joined(separator: ".")
    }

    /// An empty key path is a mistake of the program, and ends it.
    private static func nonempty(_ key: String) -> String { key.isEmpty ? "title" : key }

    private static func property(_ random: inout SeededGenerator, of entity: NSEntityDescription) -> Any {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return key(&random)
        case 1: return entity.properties.randomElement(using: &random)!
        case 2: return ["title", "pages", "author", "tags"].randomElement(using: &random)!
        default:
            let description = NSExpressionDescription()
            description.name = Bool.random(using: &random) ? "column" : key(&random)
            let path = NSExpression(forKeyPath: nonempty(key(&random)))
            let function = ["count:", "sum:", "max:", "average:", "uppercase:", "now", "stddev:"].randomElement(
                using: &random)!
            description.expression =
                Bool.random(using: &random)
                ? path : NSExpression(forFunction: function, arguments: function == "now" ? [] : [path])
            description.expressionResultType = [.integer64AttributeType, .stringAttributeType, .undefinedAttributeType]
                .randomElement(using: &random)!
            return description
        }
    }

    /// What a random request is made of, for the message of a failure.
    private static func request(_ random: inout SeededGenerator, _ entity: NSEntityDescription)
        -> NSFetchRequest<NSFetchRequestResult>
    {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity.name!)
        func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
        if chance(2) {
            let selectors: [Selector?] = [
                nil, nil, NSSelectorFromString("caseInsensitiveCompare:"),
                NSSelectorFromString("localizedStandardCompare:"),
                NSSelectorFromString("nonsense:"),
            ]
            request.sortDescriptors = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                let selector = selectors.randomElement(using: &random)!
                return selector.map { NSSortDescriptor(key: key(&random), ascending: true, selector: $0) }
                    ?? NSSortDescriptor(key: key(&random), ascending: false)
            }
        }
        request.resultType = [
            .managedObjectResultType, .dictionaryResultType, .managedObjectIDResultType, .countResultType,
        ]
        .randomElement(using: &random)!
        if chance(2) {
            request.propertiesToFetch = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                property(&random, of: entity)
            }
        }
        if chance(3) {
            request.propertiesToGroupBy = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                property(&random, of: entity)
            }
        }
        if chance(4) { request.havingPredicate = try? NSPredicate.parse("%K > 1", arguments: [key(&random)]) }
        if chance(3) { request.relationshipKeyPathsForPrefetching = [key(&random), key(&random)] }
        if chance(3) { request.predicate = try? NSPredicate.parse("%K == %@", arguments: [key(&random), "x"]) }
        if chance(4) { request.fetchBatchSize = 2 }
        request.returnsDistinctResults = chance(3)
        request.returnsObjectsAsFaults = chance(2)
        return request
    }

    @Test(.slow, arguments: StoreKind.allCases) func answerOrThrow(_ kind: StoreKind) throws {
        let library = try Library(store: kind)
        let author = library.context.insert("Author", ["name": "Ann"])
        for number in 0..<5 {
            let book = library.context.insert("Book", ["title": "Book \(number)", "pages": number, "author": author])
            book.mutableSetValue(forKey: "tags").add(library.context.insert("Tag", ["word": "w\(number)"]))
        }
        try library.context.save()
        var random = SeededGenerator(seed: 39)
        let rounds =
            ProcessInfo.processInfo.environment["ODD_KEYS_ROUNDS"].flatMap(Int.init) ?? LongForm.choose(800, long: 3000)
        let entities = library.coordinator.managedObjectModel.entities.sorted { $0.name! < $1.name! }
        var (answers, errors) = (0, 0)
        for _ in 0..<rounds {
            let request = Self.request(&random, entities.randomElement(using: &random)!)
            if Bool.random(using: &random) { library.context.reset() }
            do {
                let results = try library.context.fetch(request)
                for case let object as NSManagedObject in results { object.willAccessValue(forKey: nil) }
                answers += 1
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
                errors += 1
            }
        }
        #expect(answers > rounds / 100 && errors > rounds / 100)
        #expect(try library.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 5)
    }

    /// Indexes whose elements name what cannot be indexed: a store is made without them, or refused.
    @Test(.slow) func ofIndexes() throws {
        var random = SeededGenerator(seed: 40)
        for _ in 0..<LongForm.choose(20, long: 60) {
            let model = LibraryModel.make()
            let book = try #require(model.entitiesByName["Book"])
            let expression = NSExpressionDescription()
            expression.name = "odd"
            expression.expression = NSExpression(forKeyPath: Self.nonempty(Self.key(&random)))
            expression.expressionResultType = .stringAttributeType
            let property: NSPropertyDescription =
                Bool.random(using: &random) ? expression : book.properties.randomElement(using: &random)!
            let element = NSFetchIndexElementDescription(
                property: property, collationType: Bool.random(using: &random) ? .binary : .rTree)
            let index = NSFetchIndexDescription(name: "odd", elements: [element])
            if Bool.random(using: &random) {
                index.partialIndexPredicate = try? NSPredicate.parse("%K == 1", arguments: [Self.key(&random)])
            }
            book.indexes = [index]
            do {
                let library = try SQLiteLibrary(model)
                library.context.insert("Book", ["title": "a"])
                try library.context.save()
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
            }
        }
    }
}
