import CoreData
import Testing

/// Edits of objects that cannot be read happen whole or not at all, and are never saved half.
@Suite("Editing what cannot be read")
struct EditingTests {
    /// Edits, each with what shows in another context that it was saved.
    enum Edit: String, CaseIterable, CustomTestStringConvertible {
        case attribute, toOne, toOneOfOther, joinSet, leaveSet, replaceSet, joinOrdered, replaceOrdered, joinMany,
            leaveMany,
            replaceMany, withoutInverse, primitive

        var testDescription: String { rawValue }

        func apply(_ owner: NSManagedObject, _ other: NSManagedObject, _ kid: NSManagedObject, _ tag: NSManagedObject) {
            switch self {
            case .attribute: owner.setValue("new", forKey: "name")
            case .toOne: owner.setValue(other.value(forKey: "badge"), forKey: "badge")
            case .toOneOfOther: kid.setValue(owner, forKey: "owner")
            case .joinSet: owner.mutableSetValue(forKey: "kids").add(kid)
            case .leaveSet: other.mutableSetValue(forKey: "kids").remove(kid)
            case .replaceSet: owner.setValue(NSSet(object: kid), forKey: "kids")
            case .joinOrdered:
                let pages = (other.value(forKey: "pages") as? NSOrderedSet)?.array ?? []
                owner.mutableOrderedSetValue(forKey: "pages").addObjects(from: pages)
            case .replaceOrdered: owner.setValue(NSOrderedSet(), forKey: "pages")
            case .joinMany: owner.mutableSetValue(forKey: "tags").add(tag)
            case .leaveMany: other.mutableSetValue(forKey: "tags").remove(tag)
            case .replaceMany: tag.setValue(NSSet(object: owner), forKey: "owners")
            case .withoutInverse: owner.setValue(tag, forKey: "favourite")
            case .primitive: owner.setPrimitiveValue("new", forKey: "name")
            }
        }
    }

    /// - Parameter loaded: the names of the objects whose rows are in memory when the store stops to answer.
    @Test(
        arguments: Edit.allCases,
        [[], ["A"], ["B"], ["Bk0"], ["T2"], ["A", "B"], ["A", "Bk0", "T2"], ["B", "Bk0", "T2"]])
    func editsAreWhole(_ edit: Edit, loaded: [String]) throws {
        for throughParent in [false, true] {
            let library = try Library()
            let context = throughParent ? library.child() : library.context()
            let before = try library.picture()
            try context.performAndWait { () throws in
                let objects = [
                    try context.fault("Owner", "A"), try context.fault("Owner", "B"), try context.fault("Kid", "Bk0"),
                    try context.fault("Tag", "T2"),
                ]
                for (name, object) in zip(["A", "B", "Bk0", "T2"], objects) where loaded.contains(name) {
                    #expect(object.name == name)
                }
                library.faults.refuse()
                edit.apply(objects[0], objects[1], objects[2], objects[3])
                context.processPendingChanges()
                let failed = context.readError != nil
                if failed { #expect(throws: FaultyEngine.error) { try context.save() } }
                library.faults.relent()
                context.takeReadError()
                // Whatever of it there is can be saved, and what that leaves is mutual.
                try context.save()
                try context.parent?.performAndWait { try context.parent?.save() }
                try library.checkMutual()
                if failed {
                    edit.apply(objects[0], objects[1], objects[2], objects[3])
                    try context.save()
                    try context.parent?.performAndWait { try context.parent?.save() }
                    try library.checkMutual()
                }
                if edit != .primitive { #expect(try library.picture() != before) }
            }
        }
    }

    /// Neither where it leads to nor where it led to has an end that changes.
    @Test(arguments: [false, true])
    func aRelationshipWithoutInverseNeedsItsOwnerAlone(throughParent: Bool) throws {
        let library = try Library()
        let context = throughParent ? library.child() : library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            let tag = try context.fault("Tag", "T2")
            #expect(owner.name == "A")
            library.faults.refuse()
            owner.setValue(tag, forKey: "favourite")
            #expect(context.readError == nil)
            #expect(owner.objectIDs(forRelationshipNamed: "favourite") == [tag.objectID])
            library.faults.relent()
            try context.save()
            try context.parent?.performAndWait { try context.parent?.save() }
        }
        let check = library.context()
        try check.performAndWait { () throws in
            #expect(try check.fault("Owner", "A").names("favourite") == ["T2"])
        }
    }

    // MARK: Deleting

    @Test(arguments: [false, true], ["A", ""])
    func deleteRulesWait(throughParent: Bool, loaded: String) throws {
        let library = try Library()
        let context = throughParent ? library.child() : library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            if loaded == "A" { #expect(owner.name == "A") }
            library.faults.refuse()
            context.delete(owner)
            context.processPendingChanges()
            #expect(throws: FaultyEngine.error) { try context.save() }
            library.faults.relent()
            context.takeReadError()
            try context.save()
            try context.parent?.performAndWait { try context.parent?.save() }
            let check = library.context()
            try check.performAndWait { () throws in
                #expect(try check.all("Owner").map(\.name) == ["B", "C"])
                #expect(try check.all("Kid").map(\.name) == ["Bk0", "Bk1", "Bk2"])
                #expect(
                    try check.all("Page").filter { $0.value(forKey: "owner") == nil }.map(\.name) == [
                        "Ap0", "Ap1", "Ap2",
                    ])
                #expect(try check.all("Tag").map { $0.names("owners") } == [[], ["B"], ["B"]])
                #expect(try check.all("Badge").map { $0.names("owner") } == [[], ["B"]])
            }
            try library.checkMutual()
        }
    }

    /// The rules of several objects are read together.
    @Test func deletionOfManyWaits() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let owners = try context.all("Owner").filter { $0.name != "C" }
            library.faults.refuse(times: 2)
            owners.forEach(context.delete)
            context.processPendingChanges()
            if context.readError != nil {
                #expect(throws: FaultyEngine.error) { try context.save() }
                context.takeReadError()
            }
            library.faults.relent()
            try context.save()
            #expect(try context.all("Kid").isEmpty)
            try library.checkMutual()
        }
    }

    @Test(arguments: [false, true])
    func denyRulesAreAsked(throughParent: Bool) throws {
        let library = try Library()
        let context = throughParent ? library.child() : library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "C")
            #expect(owner.name == "C")
            library.faults.refuse()
            context.delete(owner)
            #expect(throws: FaultyEngine.error) { try context.save() }
            library.faults.relent()
            context.takeReadError()
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
        }
    }

    @Test func anObjectThatCannotBeReadIsNotTakenForDeleted() throws {
        let library = try Library()
        let context = library.context()
        context.propagatesDeletesAtEndOfEvent = false
        try context.performAndWait { () throws in
            let kid = try context.fault("Kid", "Ak0")
            context.delete(kid)
            library.faults.refuse([.rows])
            #expect(throws: FaultyEngine.error) { try context.save() }
            library.faults.relent()
            #expect(context.deletedObjects == [kid])
            context.takeReadError()
            try context.save()
            #expect(try context.all("Kid").count == 5)
        }
    }

    // MARK: Validation

    @Test func numbersOfMembersAreCounted() throws {
        let model = Library.model.copy() as! NSManagedObjectModel
        let tags = model.entitiesByName["Owner"]!.relationshipsByName["tags"]!
        (tags.minCount, tags.maxCount) = (1, 2)
        let library = try Library(model)
        let context = library.context()
        try context.performAndWait { () throws in
            let owner = try context.all("Owner")[0]
            let tag = try context.fault("Tag", "T2")
            #expect(tag.name == "T2")
            library.faults.refuse()
            owner.mutableSetValue(forKey: "tags").add(tag)
            #expect(throws: FaultyEngine.error) { try context.save() }
            library.faults.relent()
            context.takeReadError()
            owner.mutableSetValue(forKey: "tags").add(tag)
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSValidationRelationshipExceedsMaximumCountError)
        }
    }

    // MARK: Undo

    @Test func anEventIsUndoneWholeOrNotAtAll() throws {
        let library = try Library()
        let context = library.context()
        context.undoManager = UndoManager()
        try context.performAndWait { () throws in
            try context.performAndWait { () throws in
                let (owner, other) = (try context.fault("Owner", "A"), try context.fault("Owner", "B"))
                owner.setValue(other.value(forKey: "badge"), forKey: "badge")
                owner.setValue("renamed", forKey: "name")
                context.processPendingChanges()
                try context.save()
                context.refreshAllObjects()
                library.faults.refuse()
                context.undo()
                #expect(throws: FaultyEngine.error) { try context.save() }
                library.faults.relent()
                context.takeReadError()
                try context.save()
                let names = try library.context().namesOfOwners()
                #expect(names == ["B", "C", "renamed"] || names == ["A", "B", "C"])
                try library.checkMutual()
            }
        }
    }

    // MARK: Ends of an error

    enum End: CaseIterable { case take, reset, rollback, refresh }

    @Test(arguments: End.allCases)
    func theErrorIsOver(_ end: End) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let kid = try context.fault("Kid", "Ak0")
            kid.setValue("edited", forKey: "name")
            let owner = try context.fault("Owner", "A")
            library.faults.refuse()
            #expect(owner.name == nil)
            library.faults.relent()
            switch end {
            case .take: context.takeReadError()
            case .reset: context.reset()
            case .rollback: context.rollback()
            case .refresh: context.refreshAllObjects()
            }
            #expect(context.readError == nil)
            try context.save()
            let isKept = end == .take || end == .refresh
            let check = library.context()
            let found = try check.performAndWait { try check.all("Kid").map(\.name).contains("edited") }
            #expect(found == isKept)
        }
    }

    @Test func aSaveWritesNothingBesides() throws {
        let library = try Library()
        let context = library.context()
        let id = try library.id("Owner", "A")
        try context.performAndWait { () throws in
            try context.fault("Kid", "Ak0").setValue("edited", forKey: "name")
            library.faults.refuse()
            #expect(context.object(with: id).name == nil)
            #expect(throws: FaultyEngine.error) { try context.save() }
            library.faults.relent()
            #expect(context.hasChanges)
            let check = library.context()
            let names = try check.performAndWait { try check.all("Kid").map(\.name) }
            #expect(names.first == "Ak0")
        }
    }
}
