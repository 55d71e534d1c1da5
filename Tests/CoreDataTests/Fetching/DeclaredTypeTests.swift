import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Computed values have the type that `expressionResultType` declares, in every kind of store.
@Suite("Declared types of computed values")
struct DeclaredTypeTests {
    private func context(_ kind: KindOfStore) throws -> EveryStore {
        let store = try EveryStore(kind)
        let context = store.context
        try context.performAndWait {
            for (number, small) in [(1, 10_000), (2, 20_000), (4, 32_000)] {
                context.insert(
                    "Thing",
                    [
                        "name": "thing", "small": small, "ratio": Double(number) + 0.5,
                        "price": NSDecimalNumber(string: "0.1"), "isNew": number > 1,
                        "made": Date(timeIntervalSinceReferenceDate: Double(number)), "code": UUID(),
                    ])
            }
            try context.save()
        }
        return store
    }

    private func value(_ format: String, _ type: NSAttributeType, _ store: EveryStore) throws -> Any? {
        let column = NSExpressionDescription(), request = NSFetchRequest<NSDictionary>(entityName: "Thing")
        column.name = "value"
        column.expression = NSExpression(format: format)
        column.expressionResultType = type
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [column]
        request.predicate = NSPredicate(format: "small < 30000")
        return try store.context.performAndWait { try store.context.fetch(request).first?["value"] }
    }

    static let kinds = KindOfStore.builtIn

    @Test(arguments: kinds)
    func valuesAreConverted(_ kind: KindOfStore) throws {
        let store = try context(kind)
        #expect(try value("sum:(small)", .decimalAttributeType, store) as? NSDecimalNumber == 30_000)
        let number = try #require(try value("sum:(small)", .doubleAttributeType, store) as? NSNumber)
        #expect(String(cString: number.objCType) == "d" && number == 30_000)
        #expect(try value("sum:(small)", .stringAttributeType, store) as? String == "30000")
        #expect(try value("count:(small)", .booleanAttributeType, store) as? Bool == true)
        // Fractions are cut off, as SQLite and `NSNumber` do.
        #expect(try value("average:(ratio)", .integer32AttributeType, store) as? NSNumber == 2)
        #expect(try value("sum:(price)", .doubleAttributeType, store) as? Double == 0.2)
        #expect(try value("max:(made)", .dateAttributeType, store) as? Date == Date(timeIntervalSinceReferenceDate: 2))
        #expect(try value("max:(made)", .doubleAttributeType, store) as? Double == 2)
        #expect(
            try value("max:(ratio)", .dateAttributeType, store) as? Date == Date(timeIntervalSinceReferenceDate: 2.5))
        #expect(try value("max:(name)", .stringAttributeType, store) as? String == "thing")
        #expect(try value("max:(isNew)", .integer16AttributeType, store) as? NSNumber == 1)
        #expect(try value("min:(large)", .integer16AttributeType, store) == nil)
        #expect(try value("code", .stringAttributeType, store) is String)
    }

    @Test(arguments: kinds)
    func valuesThatDoNotFitAreErrors(_ kind: KindOfStore) throws {
        let store = try context(kind)
        for (format, type) in [
            ("sum:(small) * 2", NSAttributeType.integer16AttributeType), ("max:(name)", .integer64AttributeType),
            ("max:(small)", .binaryDataAttributeType), ("max:(name)", .dateAttributeType),
        ] {
            let error = #expect(throws: CocoaError.self) { try value(format, type, store) }
            #expect(error?.code.rawValue == NSCoreDataError, "\(format)")
            #expect((error as NSError?)?.localizedFailureReason?.contains("\"value\"") ?? false, "\(format)")
        }
    }

    // MARK: Relationships that lead nowhere

    /// SQL counts the objects behind a to-one that is NULL as 0, and so does every store, and a context for unsaved objects.
    @Test(arguments: kinds)
    func nothingIsBehindAToOneWithoutObject(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        let context = store.context
        try context.performAndWait {
            let whole = context.insert("Thing", ["name": "whole", "small": 1])
            context.insert("Thing", ["name": "part", "small": 2, "whole": whole])
            let wholes = [
                "whole.parts.@count == 0": ["whole"], "whole.parts.@sum.small == 0": ["whole"],
                "whole.parts.@avg.small < 1": ["whole"], "whole.parts.@min.small == nil": ["whole"],
                "whole.parts.@count > 0": ["part"], "NOT whole.parts.@count > 0": ["whole"],
                "whole.whole.parts.@count == 0": ["part", "whole"], "parts.@count == 0": ["part"],
            ]
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for (format, names) in wholes {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                    request.predicate = NSPredicate(format: format)
                    let found = try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
                    #expect(found.sorted() == names, "\(format), saved: \(isSaved)")
                }
            }
            let count = NSExpressionDescription(), request = NSFetchRequest<NSDictionary>(entityName: "Thing")
            count.name = "count"
            count.expression = NSExpression(format: "whole.parts.@count")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", count]
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            #expect(try context.fetch(request).map { $0["count"] as? Int } == [1, 0])
        }
    }
}
