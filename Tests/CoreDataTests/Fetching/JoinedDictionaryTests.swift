import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Dictionaries from several stores of a coordinator are those that one store with all rows gives.
@Suite("Dictionaries from several stores")
struct JoinedDictionaryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Items with numbers from 0 to 9, every third of them in the first store, the others in the second.
    private func items(_ types: [String] = [NSSQLiteStoreType, NSSQLiteStoreType]) throws -> NSManagedObjectContext {
        let item = LibraryModel.entity("Item"), model = NSManagedObjectModel()
        item.properties = [
            LibraryModel.attribute("n", .integer64AttributeType), LibraryModel.attribute("s", .stringAttributeType),
            LibraryModel.attribute("price", .decimalAttributeType),
        ]
        model.entities = [item]
        let several = try SeveralStores(model, types: types, in: folder)
        let context = several.context
        try context.performAndWait {
            for n in 0..<10 {
                let new = context.insert("Item", ["n": n, "s": "x\(n % 2)", "price": NSDecimalNumber(value: n)])
                context.assign(new, to: several.stores[n % 3 == 0 ? 0 : 1])
            }
            try context.save()
            context.reset()
        }
        return context
    }

    private func rows(
        _ context: NSManagedObjectContext, _ properties: [Any], sortedBy key: String? = nil, ascending: Bool = true,
        _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
    ) throws -> [NSDictionary] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: ascending)] }
        change(request)
        return try context.performAndWait { try context.fetch(request) }
    }

    private func column(_ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType)
        -> NSExpressionDescription
    {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    static let types = [
        [NSSQLiteStoreType, NSSQLiteStoreType], [NSSQLiteStoreType, NSInMemoryStoreType],
        [NSXMLStoreType, NSBinaryStoreType],
    ]

    @Test(arguments: types)
    func orderLimitAndOffsetAreThoseOfTheWhole(_ types: [String]) throws {
        let context = try items(types)
        func numbers(limit: Int = 0, offset: Int = 0, ascending: Bool = true) throws -> [Int?] {
            try rows(context, ["n"], sortedBy: "n", ascending: ascending) {
                ($0.fetchLimit, $0.fetchOffset) = (limit, offset)
            }.map { $0["n"] as? Int }
        }
        #expect(try numbers() == Array(0..<10))
        #expect(try numbers(limit: 3) == [0, 1, 2])
        #expect(try numbers(limit: 3, offset: 4) == [4, 5, 6])
        #expect(try numbers(offset: 8, ascending: false) == [1, 0])
        #expect(try rows(context, ["n"]) { ($0.fetchLimit, $0.fetchOffset) = (5, 2) }.count == 5)
    }

    @Test func equalDictionariesComeOnce() throws {
        let context = try items()
        let found = try rows(context, ["s"], sortedBy: "s") { $0.returnsDistinctResults = true }
        #expect(found.map { $0["s"] as? String } == ["x0", "x1"])
        let second = try rows(context, ["s"], sortedBy: "s") {
            $0.returnsDistinctResults = true
            ($0.fetchLimit, $0.fetchOffset) = (1, 1)
        }
        #expect(second.map { $0["s"] as? String } == ["x1"])
        let byNumber = try rows(context, ["s"], sortedBy: "n", ascending: false) { $0.returnsDistinctResults = true }
        #expect(byNumber == [["s": "x1"], ["s": "x0"]])
    }

    @Test func theOrderMayBeByWhatIsNotFetched() throws {
        let context = try items()
        let found = try rows(context, ["s"], sortedBy: "n", ascending: false) { $0.fetchLimit = 3 }
        #expect(found == [["s": "x1"], ["s": "x0"], ["s": "x1"]])
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        request.sortDescriptors = [NSSortDescriptor(key: "self", ascending: true)]
        let all = try context.performAndWait { try context.fetch(request) }
        #expect(all.count == 10 && all.allSatisfy { Set($0.allKeys as! [String]) == ["n", "s", "price"] })
    }

    @Test(arguments: types)
    func totalsAreOfAllRows(_ types: [String]) throws {
        let context = try items(types)
        let all = try rows(
            context,
            [
                column("sum", "sum:(n)"), column("count", "count:(n)"), column("least", "min:(n)"),
                column("most", "max:(n)"), column("mean", "average:(n)"), column("twice", "sum:(n) * 2 + 1"),
                column("price", "average:(price)"), column("whole", "average:(n)", .integer16AttributeType),
            ])
        #expect(
            all == [
                [
                    "sum": 45, "count": 10, "least": 0, "most": 9, "mean": 4.5, "twice": 91,
                    "price": NSDecimalNumber(string: "4.5"), "whole": 4,
                ]
            ])
    }

    @Test func groupsAreOfAllRows() throws {
        let context = try items()
        let groups = try rows(context, ["s", column("sum", "sum:(n)")], sortedBy: "s", ascending: false) {
            $0.propertiesToGroupBy = ["s"]
        }
        #expect(groups == [["s": "x1", "sum": 25], ["s": "x0", "sum": 20]])
        for format in ["$sum > 20", "sum > 20", "sum:(n) > 20", "average:(n) > 4.5 AND s == 'x1'"] {
            let some = try rows(context, [column("sum", "sum:(n)")], sortedBy: "s") {
                $0.propertiesToGroupBy = ["s"]
                $0.havingPredicate = NSPredicate(format: format)
            }
            #expect(some == [["sum": 25]], "\(format)")
        }
    }

    @Test func whatDoesNotFollowFromEachStoreIsAnError() throws {
        let context = try items([NSInMemoryStoreType, NSInMemoryStoreType])
        let error = #expect(throws: CocoaError.self) { try rows(context, [column("middle", "median:(n)")]) }
        #expect(error?.code.rawValue == NSCoreDataError)
        #expect((error as NSError?)?.localizedFailureReason?.contains("median:(n)") ?? false)
        #expect((error as NSError?)?.localizedRecoverySuggestion?.contains("affectedStores") ?? false)
        let first = context.persistentStoreCoordinator!.persistentStores[0]
        let alone = try rows(context, [column("middle", "median:(n)")]) { $0.affectedStores = [first] }
        #expect(alone[0]["middle"] as? Double == 4.5)
        let unordered = #expect(throws: CocoaError.self) {
            try rows(context, ["s", column("sum", "sum:(n)")], sortedBy: "n") { $0.propertiesToGroupBy = ["s"] }
        }
        #expect((unordered as NSError?)?.localizedFailureReason?.contains("order by n") ?? false)
    }

    // MARK: Random fetches

    /// A fetch of rows, with an order that leaves none but equal rows open.
    private static func request(_ random: inout SeededGenerator) -> NSFetchRequest<NSDictionary> {
        let keys = ["name", "rank", "price", "weight", "parent.name", "parent.rank"]
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        let columns = Array(keys.shuffled(using: &random).prefix(Int.random(in: 1..<4, using: &random)))
        request.propertiesToFetch = columns
        request.returnsDistinctResults = Bool.random(using: &random)
        var order = columns.shuffled(using: &random)
        if !request.returnsDistinctResults { order.insert(keys.randomElement(using: &random)!, at: 0) }
        request.sortDescriptors = order.map { NSSortDescriptor(key: $0, ascending: Bool.random(using: &random)) }
        request.fetchLimit = Int.random(in: 0..<20, using: &random)
        request.fetchOffset = Int.random(in: 0..<20, using: &random)
        return request
    }

    @Test func randomFetchesAreThoseOfOneStore() throws {
        for seed in 0..<4 as Range<UInt64> {
            let types = [NSSQLiteStoreType, seed % 2 == 0 ? NSSQLiteStoreType : NSInMemoryStoreType]
            let here = try TemporaryFolder()
            let one = try SeveralStores(SameTotalsTests.model(), types: [NSInMemoryStoreType])
            let several = try SeveralStores(SameTotalsTests.model(), types: types, in: here)
            for (context, stores) in [(one.context, one.stores), (several.context, several.stores)] {
                var random = SeededGenerator(state: seed)
                try context.performAndWait {
                    for number in 0..<2 {
                        try SameTotalsTests.fill(context, &random, into: stores[number % stores.count])
                    }
                }
            }
            let (names, others) = try (
                one.context.performAndWait { try SameTotalsTests.names(one.context) },
                several.context.performAndWait { try SameTotalsTests.names(several.context) }
            )
            var random = SeededGenerator(state: seed)
            for _ in 0..<40 {
                let request = SameTotalsTests.request(&random)
                let expected = try one.context.performAndWait { try SameTotalsTests.rows(request, one.context, names) }
                let found = try several.context.performAndWait {
                    try SameTotalsTests.rows(request, several.context, others)
                }
                #expect(expected == found, "seed \(seed): \(request)")
                let plain = Self.request(&random)
                let rows = try one.context.performAndWait { try one.context.fetch(plain) }
                let joined = try several.context.performAndWait { try several.context.fetch(plain) }
                #expect(
                    SameTotalsTests.texts(rows, names) == SameTotalsTests.texts(joined, others),
                    "seed \(seed): \(plain)")
            }
        }
    }
}
