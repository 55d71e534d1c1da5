import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Answers for a key of its own that the model does not know.
final class Greeter: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? {
        key == "greeting" ? "Hello" : super.value(forUndefinedKey: key)
    }
}

/// Predicates whose text comes from users, on managed objects and in fetches: an error, and never the end of the process.
@Suite("Text from users on managed objects")
struct UserTextInFetchesTests {
    private static func thing(_ name: String, in context: NSManagedObjectContext, _ entity: String = "Thing")
        -> NSManagedObject
    {
        let thing = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        thing.setValue(name, forKey: "name")
        return thing
    }

    /// A saved thing with a part, and another pair that is not saved if `pending`.
    private static func fill(_ store: EveryStore, pending: Bool) throws {
        for name in pending ? ["saved", "new"] : ["saved"] {
            let whole = thing(name, in: store.context)
            thing("part", in: store.context).setValue(whole, forKey: "whole")
            if name == "saved" { try store.context.save() }
        }
    }

    private static func fetch(
        _ store: EveryStore, _ format: String, _ arguments: [Any?] = [], _ entity: String = "Thing"
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = try NSPredicate.parse(format, arguments: arguments)
        return try store.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    /// A program's own store evaluates as it likes.
    @Test(arguments: KindOfStore.builtIn, [true, false])
    func undefinedKeysInFetches(_ kind: KindOfStore, _ pending: Bool) throws {
        let store = try EveryStore(kind)
        try store.context.performAndWait {
            try Self.fill(store, pending: pending)
            for format in [
                "ghost == 1", "whole.ghost == 1", "ANY parts.ghost == 1",
                "SUBQUERY(parts, $p, $p.ghost == 1).@count > 0",
                "SUBQUERY(parts, $p, $p.whole.ghost == 1).@count > 0", "FUNCTION(SELF, 'valueForKey:', 'ghost') == 1",
                "FUNCTION(SELF, 'valueForKeyPath:', 'whole.ghost') == 1 OR ghost == 2",
                "TERNARY(ghost == 1, 1, 2) == 1",
            ] {
                let error = #expect(throws: (any Error).self, "\(format)") { try Self.fetch(store, format) }
                let text = error.map { "\($0)" } ?? ""
                #expect(text.contains("ghost"), "\(format): \(text)")
            }
            #expect(try Self.fetch(store, "name == 'saved'") == ["saved"])
        }
    }

    @Test func undefinedKeysOfObjects() throws {
        let store = try EveryStore(.inMemory)
        try Self.fill(store, pending: true)
        let things = try store.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
        let detached = NSManagedObject(
            entity: try #require(store.coordinator.managedObjectModel.entitiesByName["Thing"]), insertInto: nil)
        for format in [
            "ghost == 1", "SELF.ghost == 1", "SUBQUERY({SELF}, $s, $s.ghost == 1).@count > 0", "name == ghost",
            "FUNCTION(SELF, 'valueForKey:', 'ghost') == 1", "ghost.name == 1",
        ] {
            let predicate = try NSPredicate.parse(format)
            for thing in things + [detached] {
                let error = #expect(throws: PredicateEvaluationError.self, "\(format)") {
                    try predicate.evaluateThrowing(with: thing)
                }
                #expect(error?.code == .undefinedKey && error?.message.contains("Thing") == true)
            }
            #expect(throws: PredicateEvaluationError.self) {
                try NSArray(array: things).filteredThrowing(using: predicate)
            }
            #expect(throws: PredicateEvaluationError.self) {
                try NSOrderedSet(array: things).filteredThrowing(using: predicate)
            }
        }
        let kept = try NSSet(array: things).filteredThrowing(using: NSPredicate(format: "whole.name == 'new'"))
        #expect(kept.count == 1)
    }

    @Test func classesMayAnswerForKeysOfTheirOwn() throws {
        let model = LibraryModel.make()
        let tag = try #require(model.entitiesByName["Tag"])
        tag.managedObjectClassName = NSStringFromClass(Greeter.self)
        let greeter = Greeter(entity: tag, insertInto: nil)
        #expect(try NSPredicate.parse("greeting == 'Hello'").evaluateThrowing(with: greeter))
        #expect(throws: PredicateEvaluationError.self) {
            try NSPredicate.parse("ghost == 1").evaluateThrowing(with: greeter)
        }
        #expect(
            try NSPredicate.parse("SELF isKindOfClass: %@", arguments: [Greeter.self]).evaluateThrowing(with: greeter))
    }

    /// Entities of a hierarchy share a table, so a fetch may ask for a key that only some of them have.
    @Test(arguments: KindOfStore.allCases)
    func keysOfSubentities(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try store.context.performAndWait {
            for pending in [false, true] {
                _ = Self.thing("plain", in: store.context)
                Self.thing("gadget", in: store.context, "Gadget").setValue(5, forKey: "volts")
                if !pending { try store.context.save() }
                let count = pending ? 2 : 1
                #expect(try Self.fetch(store, "volts == 5").count == count)
                #expect(try Self.fetch(store, "volts == nil") == Array(repeating: "plain", count: count))
            }
        }
    }

    @Test(arguments: KindOfStore.builtIn)
    func selectorsInFetches(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try store.context.performAndWait {
            try Self.fill(store, pending: true)
            for format in ["SELF isKindOfClass: %@", "SUBQUERY(parts, $p, $p isKindOfClass: %@).@count > 0"] {
                let error = #expect(throws: (any Error).self) {
                    try Self.fetch(store, format, [NSManagedObject.self])
                }
                #expect(error.map { "\($0)" }?.contains("isKindOfClass:") == true)
            }
        }
    }

    // MARK: Kinds of values

    /// What a store finds does not depend on what is saved: text compares with numbers as text, numbers with text as
    /// numbers, and a to-many relationship without objects is nil.
    @Test(arguments: KindOfStore.builtIn, [true, false])
    func constantsOfOtherKinds(_ kind: KindOfStore, _ pending: Bool) throws {
        let store = try EveryStore(kind)
        try store.context.performAndWait {
            for (name, large) in [("5", 7), ("6", 8), ("abc", 12)] {
                Self.thing(name, in: store.context).setValue(large, forKey: "large")
            }
            let whole = Self.thing("whole", in: store.context)
            Self.thing("part", in: store.context).setValue(whole, forKey: "whole")
            if !pending { try store.context.save() }
            for (format, expected) in [
                ("name == 5", ["5"]), ("name != 5", ["6", "abc", "part", "whole"]), ("large == '7'", ["5"]),
                ("large != '7' AND large != nil", ["6", "abc"]), ("large > '7.5'", ["6", "abc"]), ("large == 'x'", []),
                ("parts == nil", ["5", "6", "abc", "part"]), ("parts != nil", ["whole"]), ("whole.name == 5", []),
            ] {
                // The server compares numbers with numbers alone: refused.
                if kind == .postgreSQL, format == "large == 'x'" { continue }
                #expect(try Self.fetch(store, format) == expected, "\(format)")
            }
            let things = try store.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
            for (format, arguments, expected) in [
                ("name IN {5, 6}", [], ["5", "6"]), ("name IN %@", [[5, 6]], ["5", "6"]),
                ("large IN {'7', 8}", [], ["5", "6"]),
                ("name IN %@", [Set([5, 9])], ["5"]),
            ] as [(String, [Any?], [String])] {
                let predicate = try NSPredicate.parse(format, arguments: arguments)
                let names = try things.filter { try predicate.evaluateThrowing(with: $0) }
                    .compactMap { $0.value(forKey: "name") as? String }.sorted()
                #expect(names == expected, "\(format)")
                #expect(try Self.fetch(store, format, arguments) == expected, "\(format)")
            }
        }
    }

    @Test(arguments: KindOfStore.builtIn, [true, false])
    func objectsCompareWithObjects(_ kind: KindOfStore, _ pending: Bool) throws {
        let store = try EveryStore(kind)
        try Self.fill(store, pending: pending)
        let object = try #require(try store.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")).first)
        for format in ["SELF < 'abc'", "SELF BETWEEN {0, 3}", "3 >= SELF", "whole > 1.5"] {
            #expect(throws: (any Error).self, "\(format)") { try Self.fetch(store, format) }
            if !format.contains("whole") {
                #expect(throws: PredicateEvaluationError.self) {
                    try NSPredicate.parse(format).evaluateThrowing(with: object)
                }
            }
        }
        #expect(try Self.fetch(store, "SELF < %@", [nil]).isEmpty)
    }

    @Test func arithmeticAndTextsAsInMemory() throws {
        let store = try EveryStore(.sqlite)
        for (name, large) in [("Anna", Int64.min), ("Bob", 3), ("Carl", nil)] as [(String, Int64?)] {
            Self.thing(name, in: store.context).setValue(large, forKey: "large")
        }
        try store.context.save()
        let things = try store.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
        let piece = "xAnna".dropFirst()
        for (format, arguments, expected) in [
            ("abs(large) > 4", [], ["Anna"]), ("abs(large) == 3", [], ["Bob"]), ("abs(large) == nil", [], ["Carl"]),
            ("1 / 0 == nil", [], ["Anna", "Bob", "Carl"]), ("large / 0 > 1 OR large / 0 <= 1", [], []),
            ("large / 0.0 == nil AND modulus:by:(large, 0) == nil", [], ["Anna", "Bob", "Carl"]),
            ("sqrt(large) == nil", [], ["Anna", "Carl"]), ("ln(large) > 1", [], ["Bob"]),
            ("name == %@", [piece], ["Anna"]), ("name BEGINSWITH %@", [Character("A")], ["Anna"]),
            ("name CONTAINS[c] %@", [piece], ["Anna"]), ("name IN %@", [[piece]], ["Anna"]),
            ("name IN[c] %@", [["annax".dropLast()]], ["Anna"]), ("name ENDSWITH %@", [Character("b")], ["Bob"]),
            ("name CONTAINS %@", [piece.prefix(0)], []), ("name LIKE %@", [piece.prefix(1) + "*"], ["Anna"]),
        ] as [(String, [Any?], [String])] {
            let predicate = try NSPredicate.parse(format, arguments: arguments)
            let inMemory = try things.filter { try predicate.evaluateThrowing(with: $0) }
            #expect(inMemory.compactMap { $0.value(forKey: "name") as? String }.sorted() == expected, "\(format)")
            #expect(try Self.fetch(store, format, arguments) == expected, "\(format)")
        }
    }

    // MARK: Long compounds

    @Test(
        .slow, arguments: LongForm.choose([80, 2000], long: [80, 500, 5000]),
        [NSCompoundPredicate.LogicalType.and, .or])
    func accumulatedCompounds(_ count: Int, _ type: NSCompoundPredicate.LogicalType) throws {
        for kind in [KindOfStore.sqlite, .inMemory] {
            let store = try EveryStore(kind)
            try Self.fill(store, pending: true)
            let parts = (0..<count).map { NSPredicate(format: type == .and ? "name != %@" : "name == %@", "n\($0)") }
            let last = NSPredicate(format: "name BEGINSWITH %@", "sav")
            let predicate = (parts + [last]).dropFirst().reduce(parts[0]) {
                NSCompoundPredicate(type: type, subpredicates: [$0, $1])
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = predicate
            #expect(try store.context.fetch(request).map { $0.value(forKey: "name") as? String } == ["saved"])
        }
    }
}
