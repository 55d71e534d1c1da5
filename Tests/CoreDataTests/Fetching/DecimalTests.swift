import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Decimals are found by their own value, and what is not a number is a value like others.
///
/// Apple's files hold decimals as the nearest double, those without fraction as integers, and NaN as the text "NaN".
@Suite("Decimals")
struct DecimalTests {
    private static func model() -> NSManagedObjectModel {
        let item = LibraryModel.entity("Item")
        item.properties = [
            LibraryModel.attribute("price", .decimalAttributeType),
            LibraryModel.attribute("cents", .integer64AttributeType),
            LibraryModel.attribute("weight", .doubleAttributeType), LibraryModel.attribute("size", .floatAttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    private static func price(_ cents: Int) -> NSDecimalNumber {
        NSDecimalNumber(mantissa: UInt64(cents.magnitude), exponent: -2, isNegative: cents < 0)
    }

    private func library(_ kind: StoreKind, prices: some Sequence<Int>) throws -> Library {
        let library = try Library(Self.model(), store: kind)
        try library.context.performAndWait {
            for cents in prices { library.context.insert("Item", ["price": Self.price(cents), "cents": cents]) }
            try library.context.save()
            library.context.reset()
        }
        return library
    }

    /// How many items a fetch finds; nil where it throws.
    private func count(_ context: NSManagedObjectContext, _ format: String, _ arguments: Any...) -> Int? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try? context.fetch(request).count
    }

    @Test(.slow, arguments: StoreKind.allCases)
    func everyPriceIsFoundByItsValue(_ kind: StoreKind) throws {
        let library = try library(kind, prices: -50..<450)
        let context = library.context
        context.performAndWait {
            // 29, 57, 58 and 115 cents are no sum of doubles of one cent.
            let some = [-50, -29, -1, 0, 1, 7, 10, 29, 57, 58, 99, 100, 110, 115, 199, 200, 289, 449]
            for cents in LongForm.choose(some, long: Array(stride(from: -50, to: 450, by: 3)) + some) {
                let price = Self.price(cents), below = cents + 50
                #expect(count(context, "price == %@", price) == 1, "\(price)")
                #expect(count(context, "price <= %@", price) == below + 1, "\(price)")
                #expect(count(context, "price < %@", price) == below, "\(price)")
                #expect(count(context, "price != %@", price) == 499, "\(price)")
                #expect(count(context, "price == %@", price.decimalValue) == 1, "\(price)")
                // As a literal, which is a double, and as text.
                #expect(count(context, "price == \(price)") == 1, "\(price)")
                #expect(count(context, "price == %@", "\(price)") == 1, "\(price)")
            }
            #expect(count(context, "price IN %@", [Self.price(199), Self.price(7)]) == 2)
            #expect(count(context, "price BETWEEN %@", [Self.price(7), Self.price(199)]) == 193)
            #expect(count(context, "price * 100 == cents") == 500)
            #expect(count(context, "price + 0.01 == %@", Self.price(100)) == 1)
            // The server would choose the number of digits of a quotient: refused.
            if kind != .postgreSQL { #expect(count(context, "price / 3 == 0.11") == 1) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreFoundByTheValueTheyHave(_ kind: StoreKind) throws {
        let library = try library(kind, prices: 0..<300)
        let context = library.context
        try context.performAndWait {
            for item in try context.fetchAll("Item") where item.value(forKey: "cents") as! Int % 9 == 1 {
                let price = try #require(item.value(forKey: "price") as? NSDecimalNumber)
                #expect(price == Self.price(item.value(forKey: "cents") as! Int))
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "price == %@", price)
                let found = try context.fetch(request)
                #expect(found == [item])
                #expect(request.predicate!.evaluate(with: item))
            }
        }
    }

    /// Unsaved objects are compared in memory, the others by SQL: an object is in either or in both.
    @Test(arguments: StoreKind.allCases)
    func unsavedObjectsAreFoundAlike(_ kind: StoreKind) throws {
        let library = try library(kind, prices: 0..<100)
        let context = library.context
        context.performAndWait {
            for cents in 0..<100 {
                context.insert("Item", ["price": Self.price(cents), "cents": cents])
            }
            for cents in 0..<100 { #expect(count(context, "price == %@", Self.price(cents)) == 2) }
        }
    }

    @Test func batchesSelectByDecimals() throws {
        let library = try library(.sqlite, prices: 0..<3000)
        let context = library.context
        try context.performAndWait {
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.predicate = NSPredicate(format: "price >= %@", Self.price(1999))
            update.propertiesToUpdate = ["price": NSDecimalNumber(string: "0.29")]
            update.resultType = .updatedObjectsCountResultType
            let result = try context.execute(update) as? NSBatchUpdateResult
            #expect(result?.result as? Int == 1001)
            #expect(count(context, "price == %@", Self.price(29)) == 1002)
        }
    }

    /// Sums and averages of cents have no digits that come of adding doubles.
    @Test(arguments: StoreKind.allCases)
    func sumsAreExact(_ kind: StoreKind) throws {
        let library = try library(kind, prices: [10, 20, 7, 1999, 3, 5, 1, 1, 1, 1])
        let context = library.context
        try context.performAndWait {
            let request = NSFetchRequest<NSDictionary>(entityName: "Item")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["sum:", "average:", "max:"].map { function in
                let property = NSExpressionDescription()
                property.name = function
                property.expression = NSExpression(
                    forFunction: function, arguments: [NSExpression(forKeyPath: "price")])
                property.expressionResultType = .decimalAttributeType
                return property
            }
            let row = try #require(try context.fetch(request).first)
            #expect(row["sum:"] as? NSDecimalNumber == NSDecimalNumber(string: "20.48"))
            #expect(row["average:"] as? NSDecimalNumber == NSDecimalNumber(string: "2.048"))
            #expect(row["max:"] as? NSDecimalNumber == NSDecimalNumber(string: "19.99"))
        }
    }

    /// Sums have all the digits of the decimals, whose doubles have 17 at most, and means those of the decimal quotient.
    @Test(arguments: StoreKind.allCases)
    func sumsHaveAllDigits(_ kind: StoreKind) throws {
        let library = try Library(Self.model(), store: kind)
        let context = library.context
        try context.performAndWait {
            for text in ["12345678901234.56", "0.0000001", "-3"] {
                context.insert("Item", ["price": NSDecimalNumber(string: text), "cents": 1])
            }
            context.insert("Item", ["cents": 1])
            for _ in 0..<2 { context.insert("Item", ["price": NSDecimalNumber(string: "0.1"), "cents": 2]) }
            context.insert("Item", ["price": NSDecimalNumber(string: "0.15"), "cents": 2])
            try context.save()
            func rows(_ format: String, having: String? = nil) throws -> [NSDecimalNumber?] {
                let column = NSExpressionDescription(), request = NSFetchRequest<NSDictionary>(entityName: "Item")
                column.name = "total"
                column.expression = NSExpression(format: format)
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["cents", column]
                request.propertiesToGroupBy = ["cents"]
                request.havingPredicate = having.map { NSPredicate(format: $0) }
                request.sortDescriptors = [NSSortDescriptor(key: "total", ascending: true)]
                return try context.fetch(request).map { $0["total"] as? NSDecimalNumber }
            }
            let large = NSDecimalNumber(string: "12345678901231.5600001")
            #expect(try rows("sum:(price)") == [NSDecimalNumber(string: "0.35"), large])
            #expect(try rows("sum:(price)", having: "total > 1") == [large])
            #expect(try rows("sum:(price)", having: "$total < 1") == [NSDecimalNumber(string: "0.35")])
            let third = NSDecimalNumber(decimal: Decimal(string: "0.35")! / 3)
            #expect(try rows("average:(price)").first == third)
            #expect(try rows("average:(price)").last == NSDecimalNumber(decimal: large.decimalValue / 3))
            #expect(try rows("sum:(price) * 2", having: "sum:(price) < 1") == [NSDecimalNumber(string: "0.7")])
        }
    }

    // MARK: By key

    @Test func decimalsAndDoublesConvertByTheirDigits() throws {
        let context = try Library(Self.model(), store: .memory).context
        context.performAndWait {
            let item = context.insert("Item", ["weight": NSDecimalNumber(string: "19.99")])
            #expect((item.value(forKey: "weight") as? NSNumber)?.doubleValue == 19.99)
            item.setValue(19.99, forKey: "price")
            #expect(item.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "19.99"))
            item.setValue(Float(0.1), forKey: "price")
            #expect(item.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "0.1"))
            item.setValue(UInt64.max, forKey: "price")
            #expect((item.value(forKey: "price") as? NSDecimalNumber)?.stringValue == "18446744073709551615")
            item.setValue(NSDecimalNumber(string: "0.1"), forKey: "size")
            #expect((item.value(forKey: "size") as? NSNumber)?.floatValue == 0.1)
            item.setValue(Decimal(string: "0.29"), forKey: "price")
            #expect(item.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "0.29"))
        }
    }

    // MARK: Not a number

    @Test(arguments: StoreKind.allCases)
    func whatIsNotANumberIsAValue(_ kind: StoreKind) throws {
        let library = try library(kind, prices: [7])
        let context = library.context
        try context.performAndWait {
            context.insert("Item", ["price": NSDecimalNumber.notANumber])
            context.insert("Item", ["cents": 3])
            // Before the save in memory, after it in SQL.
            for _ in 0..<2 {
                #expect(count(context, "price == nil") == 1)
                #expect(count(context, "price != nil") == 2)
                #expect(count(context, "price == %@", NSDecimalNumber.notANumber) == 1)
                #expect(count(context, "price == 7") == 0)
                #expect(count(context, "price < 8") == 1)
                // As SQLite orders text behind all numbers.
                #expect(count(context, "price > 8") == 1)
                try context.save()
                context.reset()
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "price != nil")
            request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: false)]
            let prices = try context.fetch(request).map { $0.value(forKey: "price") as? NSDecimalNumber }
            #expect(prices == [.notANumber, NSDecimalNumber(string: "0.07")])
        }
    }

    @Test func whatIsNotANumberIsTextInTheFile() throws {
        let library = try SQLiteLibrary()
        try library.context.performAndWait {
            library.context.insert("Book", ["price": NSDecimalNumber.notANumber])
            library.context.insert("Book", ["price": NSDecimalNumber(string: "19.99")])
            library.context.insert("Book", ["price": NSDecimalNumber(string: "20.00")])
            try library.context.save()
        }
        let rows = try FileContent(library.url).rows("ZBOOK").map { "\($0["ZPRICE"]!)" }
        #expect(rows == [#"text("NaN")"#, "real(19.99)", "integer(20)"])
    }
}
