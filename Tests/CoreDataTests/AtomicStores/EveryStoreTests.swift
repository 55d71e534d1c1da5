import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What an object graph promises does not depend on where it is kept.
@Suite("Every kind of store")
struct EveryStoreTests {
    private func names(
        _ context: NSManagedObjectContext, _ format: String? = nil, entity: String = "Thing",
        sortedBy keys: [(String, Bool)] = [("name", true)],
        _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format { request.predicate = NSPredicate(format: format) }
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
        change(request)
        return try context.fetch(request).map { $0.value(forKey: "name") as? String ?? "" }
    }

    private func thing(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try #require(try context.fetch(request).first)
    }

    /// Runs on the context and saves.
    private func edit(_ store: EveryStore, _ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = store.context
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    private func read(_ store: EveryStore, _ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = store.context
        try context.performAndWait { try body(context) }
    }

    @Test("Values of every type come back, and nil", arguments: KindOfStore.allCases)
    func attributes(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        let values: [String: any Sendable & Equatable] = [
            "name": "Größe „x“ <&>\n\t🧵", "small": Int16.min, "middle": Int32.max, "large": Int64.min,
            "ratio": 0.1 + 0.2, "rough": Float(1.25), "price": Decimal(string: "-123456789012.25")!,
            "isNew": true, "made": Date(timeIntervalSinceReferenceDate: 123.456), "data": Data(0...255),
            "code": UUID(), "site": URL(string: "https://example.org/a?b=c&d#e")!,
        ]
        try edit(store) { context throws in
            let full = context.insert("Thing")
            for (key, value) in values {
                full.setValue((value as? Decimal).map { NSDecimalNumber(decimal: $0) } ?? value, forKey: key)
            }
            full.setValue("not kept", forKey: "note")
            context.insert("Thing", ["name": "empty"])
        }
        try store.reopen()
        try read(store) { context throws in
            let full = try thing(values["name"] as! String, context)
            #expect(full.value(forKey: "small") as? Int16 == Int16.min)
            #expect(full.value(forKey: "middle") as? Int32 == Int32.max)
            #expect(full.value(forKey: "large") as? Int64 == Int64.min)
            #expect(full.value(forKey: "ratio") as? Double == 0.1 + 0.2)
            #expect(full.value(forKey: "rough") as? Float == 1.25)
            #expect((full.value(forKey: "price") as? NSDecimalNumber)?.decimalValue == values["price"] as? Decimal)
            #expect(full.value(forKey: "isNew") as? Bool == true)
            #expect(full.value(forKey: "made") as? Date == values["made"] as? Date)
            #expect(full.value(forKey: "data") as? Data == values["data"] as? Data)
            #expect(full.value(forKey: "code") as? UUID == values["code"] as? UUID)
            #expect(full.value(forKey: "site") as? URL == values["site"] as? URL)
            #expect(full.value(forKey: "note") == nil)
            let empty = try thing("empty", context)
            for key in ["small", "large", "ratio", "price", "isNew", "made", "data", "code", "site"] {
                #expect(empty.value(forKey: key) == nil, "\(key)")
            }
            #expect(empty.value(forKey: "middle") as? Int == 7)
        }
    }

    @Test("Relationships of every kind come back, in order where there is one", arguments: KindOfStore.allCases)
    func relationships(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try edit(store) { context throws in
            let (a, b, c) = (
                context.insert("Thing", ["name": "a"]), context.insert("Gadget", ["name": "b", "volts": 5.0]),
                context.insert("Thing", ["name": "c"])
            )
            a.setValue(Set([b, c]), forKey: "parts")
            a.setValue(Set([b, c]), forKey: "friends")
            c.setValue(Set([b]), forKey: "friends")
            a.setValue(context.insert("Lid", ["colour": "red"]), forKey: "lid")
            context.insert("Drawer", ["label": "top"]).setValue(NSOrderedSet(array: [c, a, b]), forKey: "things")
        }
        try store.reopen()
        try read(store) { context throws in
            func names(_ value: Any?) -> [String] {
                let objects: [Any] = (value as? NSOrderedSet)?.array ?? Array(value as? Set<NSManagedObject> ?? [])
                return objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
            }
            let (a, b) = (try thing("a", context), try thing("b", context))
            #expect(b.entity.name == "Gadget")
            #expect(b.value(forKey: "volts") as? Double == 5)
            #expect(names(a.value(forKey: "parts")).sorted() == ["b", "c"])
            #expect(b.value(forKey: "whole") as? NSManagedObject === a)
            #expect(names(a.value(forKey: "friends")).sorted() == ["b", "c"])
            #expect(names(b.value(forKey: "friendOf")).sorted() == ["a", "c"])
            let lid = try #require(a.value(forKey: "lid") as? NSManagedObject)
            #expect(lid.value(forKey: "thing") as? NSManagedObject === a)
            let drawer = try #require(try context.fetchAll("Drawer").first)
            #expect(names(drawer.value(forKey: "things")) == ["c", "a", "b"])
            drawer.mutableOrderedSetValue(forKey: "things").exchangeObject(at: 0, withObjectAt: 2)
            a.mutableSetValue(forKey: "parts").remove(b)
            try context.save()
        }
        try store.reopen()
        try read(store) { context throws in
            let things = try #require(try context.fetchAll("Drawer").first?.value(forKey: "things") as? NSOrderedSet)
            #expect(things.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String } == ["b", "a", "c"])
            #expect(try thing("b", context).value(forKey: "whole") == nil)
        }
    }

    @Test("Delete rules reach the store", arguments: KindOfStore.allCases)
    func deleting(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try edit(store) { context throws in
            let a = context.insert("Thing", ["name": "a", "lid": context.insert("Lid")])
            let b = context.insert("Thing", ["name": "b", "whole": a])
            context.insert("Drawer").setValue(
                NSOrderedSet(array: [context.insert("Thing", ["name": "c"])]), forKey: "things")
            b.setValue(Set([a]), forKey: "friends")
        }
        try store.reopen()
        try edit(store) { context throws in
            context.delete(try thing("a", context))
            try context.fetchAll("Drawer").forEach(context.delete)
        }
        try store.reopen()
        try read(store) { context throws in
            #expect(try names(context) == ["b"])
            #expect(try context.fetchAll("Lid").isEmpty)
            let b = try thing("b", context)
            #expect(b.value(forKey: "whole") == nil)
            #expect((b.value(forKey: "friends") as? Set<NSManagedObject>)?.isEmpty == true)
        }
    }

    /// Six things, every other one a gadget, `t0` the whole of the rest.
    private func fill(_ store: EveryStore) throws {
        try edit(store) { context throws in
            var whole: NSManagedObject?
            for number in 0..<6 {
                let object = context.insert(
                    number % 2 == 0 ? "Thing" : "Gadget",
                    ["name": "t\(number)", "small": number, "ratio": Double(number) / 2, "isNew": number < 3])
                object.setValue(whole, forKey: "whole")
                if number == 4 { object.setValue(nil, forKey: "ratio") }
                if number == 5 { object.setValue(220.0, forKey: "volts") }
                whole = whole ?? object
            }
        }
        try store.reopen()
    }

    static let predicates: [(String, [String])] = [
        ("small > 3", ["t4", "t5"]), ("small BETWEEN {1, 2}", ["t1", "t2"]),
        ("name IN {'t0', 't5', 'x'}", ["t0", "t5"]),
        ("name CONTAINS[c] 'T3'", ["t3"]), ("name BEGINSWITH 't' AND NOT (small < 4)", ["t4", "t5"]),
        ("name LIKE '?4'", ["t4"]), ("name MATCHES 't[01]'", ["t0", "t1"]), ("ratio == nil", ["t4"]),
        ("isNew == YES", ["t0", "t1", "t2"]), ("isNew == NO OR small == 0", ["t0", "t3", "t4", "t5"]),
        ("whole == nil", ["t0"]), ("whole.name == 't0' AND small < 3", ["t1", "t2"]), ("parts.@count > 0", ["t0"]),
        ("ANY parts.small == 5", ["t0"]), ("SUBQUERY(parts, $p, $p.small > 4).@count == 1", ["t0"]),
        ("small + 1 == 3", ["t2"]), ("FALSEPREDICATE", []),
    ]

    @Test("Predicates select the same", arguments: KindOfStore.allCases)
    func predicates(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        try read(store) { context throws in
            for (format, expected) in Self.predicates {
                #expect(try names(context, format) == expected, "\(format)")
            }
            #expect(try names(context, entity: "Gadget") == ["t1", "t3", "t5"])
            #expect(try names(context, "volts > 100", entity: "Gadget") == ["t5"])
            #expect(try names(context) { $0.includesSubentities = false } == ["t0", "t2", "t4"])
        }
    }

    @Test("Order, limits, counts and IDs are the same", arguments: KindOfStore.allCases)
    func requests(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        try read(store) { context throws in
            #expect(
                try names(context, sortedBy: [("isNew", true), ("small", false)]) == [
                    "t5", "t4", "t3", "t2", "t1", "t0",
                ])
            // Nil is less than anything.
            #expect(try names(context, sortedBy: [("ratio", true)]).first == "t4")
            #expect(
                try names(context) {
                    $0.fetchOffset = 1
                    $0.fetchLimit = 2
                } == ["t1", "t2"])
            #expect(try names(context) { $0.fetchBatchSize = 2 }.count == 6)
            let counting = NSFetchRequest<NSManagedObject>(entityName: "Gadget")
            #expect(try context.count(for: counting) == 3)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Gadget")
            ids.resultType = .managedObjectIDResultType
            let found = try context.fetch(ids)
            #expect(Set(found) == Set(try context.fetch(counting).map(\.objectID)))
            for id in found {
                let text = id.uriRepresentation()
                #expect(store.coordinator.managedObjectID(forURIRepresentation: text) == id)
            }
            // What a store of one's own makes of a key that does not exist is its own affair.
            if kind != .incremental { #expect(throws: (any Error).self) { try names(context, "nothing == 1") } }
        }
    }

    @Test("Unsaved changes lie over what is fetched", arguments: KindOfStore.allCases)
    func pendingChanges(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        try read(store) { context throws in
            try thing("t1", context).setValue(50, forKey: "small")
            context.delete(try thing("t5", context))
            context.insert("Thing", ["name": "t9", "small": 9])
            #expect(try names(context, "small > 3") == ["t1", "t4", "t9"])
            #expect(try names(context, "small > 3") { $0.includesPendingChanges = false }.count >= 2)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(try names(context, "small > 3") == ["t4", "t5"])
        }
    }

    @Test("Undo and redo, then save", arguments: KindOfStore.allCases)
    func undoing(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        try read(store) { context throws in
            let undo = UndoManager()
            undo.groupsByEvent = false
            context.undoManager = undo
            let object = try thing("t1", context)
            undo.beginUndoGrouping()
            object.setValue("changed", forKey: "name")
            context.delete(try thing("t2", context))
            context.processPendingChanges()
            undo.endUndoGrouping()
            undo.undo()
            context.processPendingChanges()
            #expect(try names(context) == ["t0", "t1", "t2", "t3", "t4", "t5"])
            undo.redo()
            context.processPendingChanges()
            try context.save()
        }
        try store.reopen()
        try read(store) { context throws in #expect(try names(context) == ["changed", "t0", "t3", "t4", "t5"]) }
    }

    @Test("Children save into their parent, which saves into the store", arguments: KindOfStore.allCases)
    func children(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = store.context
        try child.performAndWait {
            try thing("t1", child).setValue("from the child", forKey: "name")
            child.delete(try thing("t2", child))
            child.insert("Thing", ["name": "new", "whole": try thing("t0", child)])
            try child.save()
        }
        try read(store) { #expect($0.hasChanges) }
        let fresh = store.makeContext()
        try fresh.performAndWait {
            let stored = try fresh.fetchAll("Thing")
            #expect(stored.count == 6)
        }
        try edit(store) { _ in }
        try store.reopen()
        try read(store) { context throws in
            #expect(try names(context) == ["from the child", "new", "t0", "t3", "t4", "t5"])
            #expect(try names(context, "whole.name == 't0'").count == 5)
        }
    }

    @Test("Saves are merged into other contexts", arguments: KindOfStore.allCases)
    func merging(_ kind: KindOfStore) async throws {
        let store = try EveryStore(kind)
        try fill(store)
        let (context, other) = (store.context, store.makeContext())
        try context.performAndWait { () throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            #expect(try names(context).count == 6)
        }
        try other.performAndWait {
            try thing("t1", other).setValue("merged", forKey: "name")
            other.delete(try thing("t2", other))
            try other.save()
        }
        await context.perform(schedule: .enqueued) {}
        try context.performAndWait { () throws in
            #expect(try names(context) == ["merged", "t0", "t3", "t4", "t5"])
            #expect(!context.hasChanges)
        }
    }

    @Test("A save that is not valid changes nothing", arguments: KindOfStore.allCases)
    func validation(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        try read(store) { context throws in
            try thing("t1", context).setValue(99, forKey: "small")
            context.insert("Thing")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .validationMissingMandatoryProperty)
            #expect(context.hasChanges)
        }
        try store.reopen()
        try read(store) { context throws in
            #expect(try names(context, "small == 99").isEmpty)
            #expect(try names(context).count == 6)
        }
    }

    /// An incremental store of one's own answers for conflicts itself.
    @Test("Two who change the same are told", arguments: KindOfStore.builtIn)
    func conflicts(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        let (context, other) = (store.context, store.makeContext())
        try context.performAndWait {
            let mine = try thing("t1", context)
            mine.setValue(1.5, forKey: "ratio")
            try other.performAndWait {
                let theirs = try thing("t1", other)
                theirs.setValue(77, forKey: "small")
                theirs.setValue(2.5, forKey: "ratio")
                try other.save()
            }
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .managedObjectMerge)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(mine.value(forKey: "ratio") as? Double == 1.5)
            #expect(mine.value(forKey: "small") as? Int == 77)
        }
        try store.reopen()
        try read(store) { context throws in #expect(try names(context, "small == 77 AND ratio == 1.5") == ["t1"]) }
    }

    @Test("Fetched results follow edits", arguments: KindOfStore.allCases)
    func fetchedResults(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try fill(store)
        try read(store) { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = [
                NSSortDescriptor(key: "isNew", ascending: true), .init(key: "name", ascending: true),
            ]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "isNew", cacheName: nil)
            try controller.performFetch()
            let mirror = ResultsMirror()
            mirror.load(controller)
            controller.delegate = mirror
            try thing("t1", context).setValue(false, forKey: "isNew")
            context.delete(try thing("t4", context))
            context.insert("Gadget", ["name": "t7", "isNew": true])
            context.processPendingChanges()
            #expect(mirror.rows.map(\.count) == [3, 3])
            let expected = try context.fetch(request)
            #expect((mirror.rows.flatMap { $0 } == expected) as Bool)
        }
    }

    @Test("An incremental store knows who holds its objects")
    func registrations() throws {
        let store = try EveryStore(.incremental)
        try fill(store)
        let tables = try #require(store.coordinator.persistentStores.first as? TableStore)
        #expect(tables.identifier == TableStore.identifierForNewStore(at: store.url) as? String)
        let other = store.makeContext()
        try store.context.performAndWait {
            let held = try store.context.fetchAll("Gadget")
            #expect(tables.registered.count == 3)
            try other.performAndWait {
                let one = try other.existingObject(with: held[0].objectID)
                #expect(tables.registered[one.objectID] == 2)
                other.reset()
            }
            #expect(tables.registered[held[0].objectID] == 1)
            let new = store.context.insert("Thing", ["name": "new"])
            try store.context.save()
            #expect(tables.registered[new.objectID] == 1)
            withExtendedLifetime(held) {}
        }
        store.context.performAndWait { store.context.reset() }
        #expect(tables.registered.isEmpty)
    }

    // MARK: References to deleted rows

    @Test(
        "A row that was read again after a deletion leads nowhere in the store",
        arguments: KindOfStore.builtIn, [true, false])
    func referencesEnd(_ kind: KindOfStore, _ changesOwner: Bool) throws {
        let store = try EveryStore(kind)
        try edit(store) { context throws in
            let whole = context.insert("Thing", ["name": "whole"]), thing = context.insert("Gadget", ["name": "thing"])
            thing.setValue(whole, forKey: "whole")
            whole.setValue(context.insert("Lid", ["thing": whole]), forKey: "lid")
        }
        try store.reopen()
        try edit(store) { context throws in
            let (whole, thing) = (try self.thing("whole", context), try self.thing("thing", context))
            let lid = try #require(whole.value(forKey: "lid") as? NSManagedObject)
            context.delete(lid)
            context.processPendingChanges()
            context.refresh(whole, mergeChanges: false)
            if changesOwner { whole.setValue(1, forKey: "small") }
            try context.save()
            context.delete(whole)
            context.processPendingChanges()
            context.refresh(thing, mergeChanges: false)
            if changesOwner { thing.setValue(2, forKey: "small") }
        }
        try store.reopen()
        try read(store) { context throws in
            #expect(try names(context, "whole == nil AND lid == nil") == ["thing"])
            #expect(try names(context, "whole != nil") == [])
            #expect(try self.thing("thing", context).value(forKey: "whole") == nil)
            #expect(try self.thing("thing", context).value(forKey: "small") as? Int == (changesOwner ? 2 : nil))
        }
    }

    @Test(
        "A one-to-one ends on the other side as well",
        arguments: KindOfStore.builtIn)
    func oneToOneEnds(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        try edit(store) { context throws in
            let whole = context.insert("Thing", ["name": "whole"])
            whole.setValue(context.insert("Lid"), forKey: "lid")
        }
        try edit(store) { context throws in
            let whole = try thing("whole", context)
            context.delete(try #require(whole.value(forKey: "lid") as? NSManagedObject))
            context.processPendingChanges()
            context.refresh(whole, mergeChanges: false)
        }
        try store.reopen()
        try read(store) { context throws in
            #expect(try names(context, "lid == nil") == ["whole"])
            #expect(try names(context, "lid != nil") == [])
            let whole = try thing("whole", context)
            #expect(whole.value(forKey: "lid") == nil)
            whole.setValue(3, forKey: "small")
            try context.save()
        }
    }
}
