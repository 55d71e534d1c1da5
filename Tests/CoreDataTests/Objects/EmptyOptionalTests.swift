import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// An optional inside an `Any` counts as what is in it, and as nil where it is empty, at any depth: on Apple's platforms the
/// bridge to Objective-C has that effect.
@Suite struct EmptyOptionalTests {
    private static var empty: [Any] {
        [
            String?.none as Any, Int?.none as Any, Date??.none as Any, String??.some(.none) as Any,
            NSManagedObject?.none as Any,
            NSNumber?.none as Any, [Any]?.none as Any, Optional<Any>.none as Any,
        ]
    }
    private let store: EveryStore
    private var context: NSManagedObjectContext { store.context }

    init() throws { store = try EveryStore(.sqlite) }

    private func thing(_ values: [String: Any] = [:]) -> NSManagedObject {
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        thing.setValue("thing", forKey: "name")
        for (key, value) in values { thing.setValue(value, forKey: key) }
        return thing
    }

    @Test(arguments: [
        "small", "large", "ratio", "rough", "price", "isNew", "made", "data", "code", "site", "note", "name", "whole",
        "lid",
    ])
    func emptyOptionalsClearValues(_ key: String) throws {
        try context.performAndWait {
            let other = thing()
            let drawn = NSEntityDescription.insertNewObject(forEntityName: "Lid", into: context)
            let values: [String: Any] = [
                "small": 1, "large": 2, "ratio": 1.5, "rough": 1.5, "price": NSDecimalNumber(string: "1.5"),
                "isNew": true, "made": Date(), "data": Data([1]), "code": UUID(), "site": URL(string: "a:b")!,
                "note": "note", "name": "name", "whole": other, "lid": drawn,
            ]
            let value = try #require(values[key])
            for empty in Self.empty {
                let thing = thing([key: value])
                thing.setValue(empty, forKey: key)
                #expect(thing.value(forKey: key) == nil)
                thing.setValue(value, forKey: key)
                thing.setPrimitiveValue(empty, forKey: key)
                #expect(thing.value(forKey: key) == nil)
            }
            let thing = thing()
            thing.setValue(Optional(Optional(value)) as Any, forKey: key)
            #expect(thing.value(forKey: key) != nil)
        }
    }

    @Test func emptyOptionalsClearToManyRelationships() {
        context.performAndWait {
            for empty in Self.empty {
                let thing = thing(["friends": Set([self.thing()])])
                thing.setValue(empty, forKey: "friends")
                #expect((thing.value(forKey: "friends") as? NSSet)?.count == 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func constantsOfPredicates(isSaved: Bool) throws {
        try context.performAndWait {
            _ = thing(["small": 4, "code": UUID()])
            _ = thing()
            if isSaved {
                try context.save()
                context.reset()
            }
            func count(_ predicate: NSPredicate) throws -> Int {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                request.predicate = predicate
                let found = try context.fetch(request)
                #expect(found.count == (try context.count(for: request)))
                #expect(found.allSatisfy { predicate.evaluate(with: $0) })
                return found.count
            }
            for empty in Self.empty {
                for key in ["small", "code", "whole"] {
                    let expected = key == "whole" ? 2 : 1
                    #expect(try count(NSPredicate(format: "\(key) == %@", argumentArray: [empty])) == expected)
                    #expect(
                        try count(
                            NSComparisonPredicate(
                                leftExpression: NSExpression(forKeyPath: key),
                                rightExpression: NSExpression(forConstantValue: empty), modifier: .direct,
                                type: .equalTo)) == expected)
                    let substituted = NSPredicate(format: "\(key) == $value").withSubstitutionVariables(["value": empty]
                    )
                    #expect(try count(substituted) == expected)
                }
            }
            let four = Optional(Optional(4)) as Any
            #expect(try count(NSPredicate(format: "small == %@", argumentArray: [four])) == 1)
            #expect(try count(NSPredicate(format: "small == %d", argumentArray: [four])) == 1)
            #expect(try count(NSPredicate(format: "small IN %@", argumentArray: [[four, Int?.none as Any]])) == 1)
            #expect(NSExpression(forConstantValue: String?.none as Any).constantValue == nil)
            #expect(NSExpression(forConstantValue: four).constantValue as? Int == 4)
        }
    }

    @Test func valuesOfBatchRequests() throws {
        try context.performAndWait {
            for (number, empty) in Self.empty.enumerated() {
                let insert = NSBatchInsertRequest(
                    entityName: "Thing",
                    objects: [["name": "\(number)", "middle": empty, "ratio": Optional(Optional(1.5)) as Any]])
                _ = try context.execute(insert)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                request.predicate = NSPredicate(format: "name == %@", "\(number)")
                let thing = try #require(try context.fetch(request).first)
                #expect(thing.value(forKey: "middle") == nil)
                #expect(thing.value(forKey: "ratio") as? Double == 1.5)
                let update = NSBatchUpdateRequest(entityName: "Thing")
                update.propertiesToUpdate = ["ratio": empty, "middle": Optional(Optional(8)) as Any]
                _ = try context.execute(update)
                context.refresh(thing, mergeChanges: false)
                #expect(thing.value(forKey: "ratio") == nil)
                #expect(thing.value(forKey: "middle") as? Int == 8)
            }
        }
    }

    /// As published code writes ranges: the bounds are expressions in a constant's array.
    @Test func boundsMayBeExpressions() throws {
        try context.performAndWait {
            for number in 0..<10 { _ = thing(["small": number]) }
            try context.save()
            let bounds = [NSExpression(forConstantValue: 3), NSExpression(forConstantValue: 5)]
            let predicates = [
                NSComparisonPredicate(
                    leftExpression: NSExpression(forKeyPath: "small"),
                    rightExpression: NSExpression(forConstantValue: bounds), modifier: .direct, type: .between),
                NSPredicate(format: "small BETWEEN %@", argumentArray: [bounds]),
            ]
            for predicate in predicates {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                #expect(try context.fetch(request).filter { predicate.evaluate(with: $0) }.count == 3)
                request.predicate = predicate
                #expect(try context.count(for: request) == 3)
            }
        }
    }
}
