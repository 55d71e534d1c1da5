import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Columns of each type a property may have. What conditions find was worked out by hand from the three books.
@Suite struct ColumnTypeTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    private static let uid = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!
    private static let link = URL(string: "https://example.org/2")!

    init() throws {
        let shelf = Build.entity("BookShelf", class: BookShelf.self)
        let book = Build.entity("ShelvedBook", class: ShelvedBook.self)
        shelf.properties = [
            Build.attribute("place", .stringAttributeType),
            Build.attribute("length", .integer16AttributeType, default: 7),
            Build.attribute("count", .integer16AttributeType, default: 8),
            Build.attribute("condition", .stringAttributeType, default: "new"),
        ]
        book.properties = [
            Build.attribute("number", .integer16AttributeType, default: 0),
            Build.attribute("kind", .integer16AttributeType, default: 0),
            Build.attribute("mood", .stringAttributeType),
            Build.attribute("price", .decimalAttributeType),
            Build.attribute("uid", .UUIDAttributeType),
            Build.attribute("link", .URIAttributeType),
            Build.attribute("cover", .binaryDataAttributeType),
            Build.attribute("isLent", .booleanAttributeType),
        ]
        Build.inverse(
            Build.relationship("books", of: shelf, to: book, many: true),
            Build.relationship("shelf", of: book, to: shelf))
        Build.inverse(
            Build.relationship("ranked", of: shelf, to: book, many: true, ordered: true),
            Build.relationship("ranking", of: book, to: shelf))
        Build.inverse(
            Build.relationship("home", of: book, to: shelf),
            Build.relationship("owned", of: shelf, to: book, many: true))
        stack = try MagicalRecord.Stack(
            [ScratchStores.new("Shelves.sqlite")], shape: .server, model: .model(Build.model(shelf, book)))
        context = stack.newContext()
        try context.runAndWait {
            let shelf = try BookShelf.create(in: context) { $0.place = "hall" }
            _ = try BookShelf.create(in: context) { $0.place = "cellar" }
            for number in 1...3 {
                let book = try ShelvedBook.create(in: context)
                book.number = Int16(number)
                book.setValue(number == 1 ? 0 : 1, forKey: "kind")
                book.setValue(number == 3 ? nil : "calm", forKey: "mood")
                book.price = number == 3 ? nil : NSDecimalNumber(string: "\(number)9.99")
                book.uid = number == 1 ? Self.uid : nil
                book.link = number == 2 ? Self.link : nil
                book.cover = number == 3 ? Data([1, 2]) : nil
                book.setValue(number == 1 ? true : number == 2 ? false : nil, forKey: "isLent")
                book.shelf = shelf
                book.home = shelf
            }
            let books = try ShelvedBook.findAll(where: { $0.number >= 2 }, sortedBy: \.number, .descending, in: context)
            shelf.ranked = NSOrderedSet(array: books)
            try context.save()
        }
    }

    /// Properties of a class that Xcode wrote are `NSDecimalNumber`s.
    @Test func sumsOfDecimalsAreDecimals() throws {
        try context.runAndWait {
            for text in ["0.1", "0.2", "0.03"] {
                let book = try ShelvedBook.create(in: context)
                (book.number, book.price) = (7, NSDecimalNumber(string: text))
                book.setValue(try BookShelf.findFirst(in: context), forKey: "home")
            }
            try context.save(to: .store)
        }
        let sum = try ShelvedBook.all.sum(of: \.price, in: context),
            mean = try ShelvedBook.all.average(of: \.price, in: context)
        #expect(sum.decimalValue == Decimal(string: "50.31")! && mean?.decimalValue == Decimal(string: "10.062")!)
        let cents = try ShelvedBook.where { $0.number == 7 }.sum(of: \.price, in: context)
        #expect(cents.decimalValue == Decimal(string: "0.33")!)
        let none = ShelvedBook.where(\.number == 9)
        #expect(try none.sum(of: \.price, in: context) == 0)
        let nothing: NSNumber? = try none.average(of: \.price, in: context)
        #expect(nothing == nil)
        let sums = try ShelvedBook.where { $0.number != 3 }.sum(
            of: \.price, by: \.number, having: { $0 < 20 }, in: context)
        #expect(sums.map(\.key) == [1, 7])
        #expect(sums.map(\.value.decimalValue) == [Decimal(string: "19.99")!, Decimal(string: "0.33")!])
        let means = try ShelvedBook.where(\.number == 7).average(of: \.price, by: \.number, in: context)
        #expect(means.map(\.value.decimalValue) == [Decimal(string: "0.11")!])
    }

    private func numbers<Made: MagicalRecord.ConditionConvertible>(
        sourceLocation: SourceLocation = #_sourceLocation, _ make: (MagicalRecord.Columns<ShelvedBook>) -> Made
    ) throws -> [Int16] where Made.Root == ShelvedBook {
        let condition = MagicalRecord.Condition(make)
        return try context.runAndWait {
            let found = try ShelvedBook.findAll(where: condition, sortedBy: \.number, in: context)
            let predicate = try condition.nsPredicate()
            let evaluated = try ShelvedBook.findAll(sortedBy: \.number, in: context)
                .filter { predicate.evaluate(with: $0) }
            #expect(found == evaluated, "\(condition)", sourceLocation: sourceLocation)
            return found.map(\.number)
        }
    }

    private func places<Made: MagicalRecord.ConditionConvertible>(
        _ make: (MagicalRecord.Columns<BookShelf>) -> Made
    ) throws -> [String?] where Made.Root == BookShelf {
        try context.runAndWait { try BookShelf.findAll(where: make, in: context).map(\.place) }
    }

    @Test func values() throws {
        #expect(try numbers { $0.price == NSDecimalNumber(string: "19.99") } == [1])
        #expect(try numbers { $0.price > NSDecimalNumber(string: "20") } == [2])
        #expect(try numbers { $0.uid == Self.uid } == [1])
        #expect(try numbers { $0.uid != Self.uid } == [2, 3])
        #expect(try numbers { $0.link == Self.link } == [2])
        #expect(try numbers { $0.cover == Data([1, 2]) } == [3])
    }

    /// Relationships as Xcode declares them name their objects' class in the condition.
    @Test func untypedSets() throws {
        #expect(try places { $0.books.count == 3 } == ["hall"])
        #expect(try places { $0.books.isEmpty } == ["cellar"])
        #expect(try places { $0.books.of(ShelvedBook.self).any { $0.number == 2 } } == ["hall"])
        #expect(try places { $0.ranked.count == 2 } == ["hall"])
        #expect(try places { $0.ranked.of(ShelvedBook.self).maximum(of: \.number) == 3 } == ["hall"])
        #expect(try places { $0.ranked.of(ShelvedBook.self).none { $0.number == 2 } } == ["cellar"])
    }

    /// The order is that of the relationship, which the books were put in by descending numbers.
    @Test func orderedObjectsOfAClass() throws {
        try context.runAndWait {
            let shelf = try #require(try BookShelf.findFirst(where: { $0.place == "hall" }, in: context))
            let ranked = try #require(shelf.ranked)
            #expect(ranked.array(of: ShelvedBook.self).map(\.number) == [3, 2])
            #expect(ranked.array(of: BookShelf.self).isEmpty)
            let cellar = try #require(try BookShelf.findFirst(where: { $0.place == "cellar" }, in: context))
            #expect(cellar.ranked?.array(of: ShelvedBook.self) ?? [] == [])
        }
    }

    @Test func toOneThatIsNeverNil() throws {
        #expect(try numbers { $0.home.place == "hall" && $0.number < 3 } == [1, 2])
    }

    /// Properties of related objects that are called like members of other columns.
    @Test func namesThatColumnsUse() throws {
        #expect(try numbers { $0.shelf.length == 7 && $0.shelf.count == 8 && $0.number == 1 } == [1])
        #expect(try numbers { $0.shelf.condition == "new" && $0.number == 1 } == [1])
        #expect(try numbers { $0.home.length == 7 && $0.home.count == 8 && $0.number == 1 } == [1])
        #expect(try numbers { $0.home.condition.length == 3 && $0.number == 1 } == [1])
        #expect(
            try places { $0.length == 7 && $0.count == 8 && $0.condition == "new" && $0.place == "hall" } == ["hall"])
    }

    #if !canImport(ObjectiveC)
    /// Apple's `@NSManaged` takes no types with raw values.
    @Test func rawValues() throws {
        #expect(try numbers { $0.kind == .novel } == [1])
        #expect(try numbers { $0.kind != .novel } == [2, 3])
        #expect(try numbers { $0.kind.in([.novel, .essay]) } == [1, 2, 3])
        #expect(try numbers { $0.mood == .calm } == [1, 2])
        #expect(try numbers { $0.mood == nil } == [3])
        #expect(try numbers { $0.mood != .calm } == [3])
        #expect(try numbers { $0.mood == .wild } == [])
    }

    /// Nor does it take optional scalars. A missing truth value is not true, and its opposite is.
    @Test func optionalTruth() throws {
        #expect(try numbers { $0.isLent } == [1])
        #expect(try numbers { !$0.isLent } == [2, 3])
        #expect(try numbers { $0.isLent == false } == [2])
        #expect(try numbers { $0.isLent == nil || $0.number == 1 } == [1, 3])
    }

    @Test func arrays() throws {
        #expect(try places { $0.rankedBooks.any { $0.number == 2 } } == ["hall"])
        #expect(try places { $0.rankedBooks.sum(of: \.number) == 5 } == ["hall"])
        #expect(try places { $0.rankedBooks.isEmpty } == ["cellar"])
    }
    #endif

    /// A property of the class that the model lacks is Core Data's error, which names the entity and the key.
    @Test func misspeltKeys() throws {
        let queries = [
            "isbn": ShelvedBook.where { $0.isbn == "1" },
            "shelf.owner": ShelvedBook.where { $0.number == 1 || $0.shelf.owner == "Ann" },
        ]
        for (key, query) in queries {
            let error = #expect(throws: (any Error).self) { try query.findAll(in: context) }
            let text = error?.localizedDescription ?? ""
            #expect(text.contains(key) && text.contains("ShelvedBook"), "\(text)")
        }
    }
}

final class BookShelf: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var place: String?
    @NSManaged var length: Int16
    @NSManaged var count: Int16
    @NSManaged var condition: String?
    @NSManaged var books: NSSet?
    @NSManaged var ranked: NSOrderedSet?
    @NSManaged var owner: String?
    #endif
}

final class ShelvedBook: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var number: Int16
    @NSManaged var price: NSDecimalNumber?
    @NSManaged var uid: UUID?
    @NSManaged var link: URL?
    @NSManaged var cover: Data?
    @NSManaged var shelf: BookShelf?
    @NSManaged var home: BookShelf
    @NSManaged var isbn: String?
    #endif
}

#if !canImport(ObjectiveC)
// What the model plugin writes for an app's classes.

enum BookKind: Int16, MagicalRecord.PredicateValue { case novel, essay }
enum BookMood: String, MagicalRecord.PredicateValue { case calm, wild }

extension BookShelf {
    var length: Int16 {
        get { managedValue(ManagedProperty("length")) }
        set { setManagedValue(newValue, for: ManagedProperty("length")) }
    }
    var count: Int16 {
        get { managedValue(ManagedProperty("count")) }
        set { setManagedValue(newValue, for: ManagedProperty("count")) }
    }
    var condition: String? {
        get { managedValue(ManagedProperty("condition")) }
        set { setManagedValue(newValue, for: ManagedProperty("condition")) }
    }
    var place: String? {
        get { managedValue(ManagedProperty("place")) }
        set { setManagedValue(newValue, for: ManagedProperty("place")) }
    }
    var books: NSSet? {
        get { managedValue(ManagedProperty("books")) }
        set { setManagedValue(newValue, for: ManagedProperty("books")) }
    }
    var ranked: NSOrderedSet? {
        get { managedValue(ManagedProperty("ranked")) }
        set { setManagedValue(newValue, for: ManagedProperty("ranked")) }
    }
    var rankedBooks: [ShelvedBook] {
        get { managedValue(ManagedProperty("ranked")) }
        set { setManagedValue(newValue, for: ManagedProperty("ranked")) }
    }
    var owner: String? {
        get { managedValue(ManagedProperty("owner")) }
        set { setManagedValue(newValue, for: ManagedProperty("owner")) }
    }
}

extension ShelvedBook {
    var number: Int16 {
        get { managedValue(ManagedProperty("number")) }
        set { setManagedValue(newValue, for: ManagedProperty("number")) }
    }
    var kind: BookKind {
        get { managedRawValue(ManagedProperty("kind")) }
        set { setManagedRawValue(newValue, for: ManagedProperty("kind")) }
    }
    var mood: BookMood? {
        get { managedRawValue(ManagedProperty("mood")) }
        set { setManagedRawValue(newValue, for: ManagedProperty("mood")) }
    }
    var price: NSDecimalNumber? {
        get { managedValue(ManagedProperty("price")) }
        set { setManagedValue(newValue, for: ManagedProperty("price")) }
    }
    var uid: UUID? {
        get { managedValue(ManagedProperty("uid")) }
        set { setManagedValue(newValue, for: ManagedProperty("uid")) }
    }
    var link: URL? {
        get { managedValue(ManagedProperty("link")) }
        set { setManagedValue(newValue, for: ManagedProperty("link")) }
    }
    var cover: Data? {
        get { managedValue(ManagedProperty("cover")) }
        set { setManagedValue(newValue, for: ManagedProperty("cover")) }
    }
    var isLent: Bool? {
        get { managedValue(ManagedProperty("isLent")) }
        set { setManagedValue(newValue, for: ManagedProperty("isLent")) }
    }
    var shelf: BookShelf? {
        get { managedValue(ManagedProperty("shelf")) }
        set { setManagedValue(newValue, for: ManagedProperty("shelf")) }
    }
    var home: BookShelf {
        get { managedValue(ManagedProperty("shelf")) }
        set { setManagedValue(newValue, for: ManagedProperty("shelf")) }
    }
    var isbn: String? {
        get { managedValue(ManagedProperty("isbn")) }
        set { setManagedValue(newValue, for: ManagedProperty("isbn")) }
    }
}
#endif
