import CoreDataRowStorage

#if DEBUG
import CoreDataRuntimeSupport

// Invariants that hold between any two calls by a program. Debug builds check them: in tests after every step, and in programs
// started with COREDATA_CHECK_INVARIANTS=1 whenever a context has processed changes.

extension NSManagedObjectContext {
    /// Checks that the context's registry, its lists of changes, and the objects' states agree.
    ///
    /// Available in debug builds, on the context's queue. Visits every object in memory and loads nothing.
    ///
    /// - Parameter comparesEnds: Whether both ends of loaded relationships must agree. They may differ if another context has
    ///   changed the store or the parent, and this context has not merged the change yet.
    /// - Throws: `NSCoreDataError` with one line for each violation as its failure reason.
    package final func checkInvariants(comparesEnds: Bool = true) throws {
        checkQueue()
        var check = InvariantCheck(self, comparesEnds: comparesEnds)
        check.run()
        guard !check.complaints.isEmpty else { return }
        throw CoreDataError.make(
            NSCoreDataError, description: "A context contradicts itself.",
            reason: check.complaints.joined(separator: "\n"),
            advice: "This is a mistake in Core Data itself, or objects were used on two threads at once.")
    }

    /// Stops the program if ``checkInvariants(comparesEnds:)`` throws and the environment variable asks for the check.
    final func stopIfInvariantsAreBroken() {
        guard InvariantCheck.isWanted else { return }
        do {
            try checkInvariants(comparesEnds: false)
        } catch {
            let error = error as NSError
            fatalError("\(error.localizedDescription)\n\(error.localizedFailureReason ?? "")")
        }
    }
}

struct InvariantCheck {
    static let isWanted = ProcessInfo.processInfo.environment["COREDATA_CHECK_INVARIANTS"] == "1"

    private let context: NSManagedObjectContext
    private let comparesEnds: Bool
    private(set) var complaints: [String] = []

    init(_ context: NSManagedObjectContext, comparesEnds: Bool) {
        self.context = context
        self.comparesEnds = comparesEnds
    }

    mutating func run() {
        let objects = context.registered()
        checkLists(objects)
        for object in objects {
            checkRegistration(of: object)
            checkValues(of: object)
            checkLife(of: object)
            if comparesEnds { checkEnds(of: object) }
        }
    }

    private mutating func expect(
        _ condition: Bool, _ object: NSManagedObject, _ complaint: @autoclosure () -> String
    ) {
        guard !condition else { return }
        let state = ([("\(object._state.life)", true)] + Self.notes.map { ($1, object._state.contains($0)) })
            .filter(\.1).map(\.0)
        complaints.append(
            "\(object.layout.name) \(object._key) (\(state.joined(separator: ", "))) \(complaint())")
    }

    private static let notes: [(ObjectState, String)] = [
        (.fault, "a fault"), (.ownsRow, "with a row of its own"), (.inEvent, "in this event"),
        (.enlisted, "listed as changed"), (.awaking, "loading"), (.inaccessible, "without a row in the store"),
        (.fired, "fired in vain"),
        (.propagated, "delete rules applied"), (.changedInSave, "changed since willSave"),
        (.insertionReported, "reported as inserted"), (.deletionReported, "reported as deleted"),
        (.writable, "written to directly"),
    ]

    // MARK: The context's lists

    private mutating func checkLists(_ objects: [NSManagedObject]) {
        let changed = set(context.changes.objects, "objects with unsaved changes")
        let event = set(context.changes.event, "objects of the current event")
        for object in context.changes.objects {
            expect(object._state.contains(.enlisted), object, "is listed as changed, and does not know it")
        }
        for object in context.changes.event {
            expect(object._state.contains(.inEvent), object, "is listed for this event, and does not know it")
        }
        let known = set(objects, "registered objects")
        for object in objects {
            let (state, id) = (object._state, ObjectIdentifier(object))
            expect(state.contains(.enlisted) == changed.contains(id), object, "believes to be listed as changed")
            expect(state.contains(.inEvent) == event.contains(id), object, "believes to be listed for this event")
            expect(!state.isChanged || changed.contains(id), object, "is changed, and not listed")
        }
        for object in context.registry.retained.union(context.saves.locked) {
            expect(known.contains(ObjectIdentifier(object)), object, "is held, and not registered")
        }
        let waiting = Set(context.changes.deletions.map(ObjectIdentifier.init))
        for object in objects where object._state.isDeleted {
            expect(
                object._state.contains(.propagated) || waiting.contains(ObjectIdentifier(object)), object,
                "waits for its delete rules in no list")
        }
    }

    private mutating func set(_ list: some Sequence<NSManagedObject>, _ name: String) -> Set<ObjectIdentifier> {
        var result: Set<ObjectIdentifier> = []
        for object in list {
            expect(result.insert(ObjectIdentifier(object)).inserted, object, "is twice among the \(name)")
        }
        return result
    }

    // MARK: One object

    private mutating func checkRegistration(of object: NSManagedObject) {
        expect(object._state.isRegistered, object, "is in a table, and does not know it")
        guard let table = object._table else { return expect(false, object, "has no table") }
        expect(table.context === context, object, "is in a table of another context")
        expect(table.uniquing.object(for: object._key) === object, object, "is not found by its key")
        if let id = object._extra?.objectID, id.key == object._key {
            expect(id.isTemporaryID == (object._key < 0), object, "has an ID of another kind")
        }
    }

    private mutating func checkValues(of object: NSManagedObject) {
        let state = object._state, layout = object.layout
        expect((object._row == nil) == (object._slab == nil), object, "has a row without memory")
        expect(
            state.contains(.fault) || object._row != nil || state.contains(.inaccessible), object,
            "has lost its values")
        if state.contains(.ownsRow), let row = object._row {
            let offset = (row + 4).load(as: UInt32.self)
            expect(offset == UInt32(layout.changedOffset), object, "has a row of its own without changed bits")
        }
        if object._readTag != 0 {
            expect(
                object._row != nil && !state.contains(.fault) && object._readTag == layout.tag, object,
                "is read directly without values")
        }
        if state.contains(.writable) {
            expect(
                object._readTag != 0 && state.contains([.ownsRow, .inEvent]), object, "is written to unnoticed")
        }
        expect(!state.contains(.awaking), object, "is still loading")
    }

    private mutating func checkLife(of object: NSManagedObject) {
        let state = object._state
        switch state.life {
        case .detached, .left, .gone, .recorder: expect(false, object, "is out of the context, and registered")
        // It may have a private row, for transient values and for values set by a hook during loading; and a change may restore
        // the saved value.
        case .saved, .updated: break
        case .inserted, .discarded:
            expect(state.contains(.ownsRow) && !state.contains(.fault), object, "is new without values")
            expect(object._extra?.committed == nil, object, "is new, and has saved values")
        case .deleted: expect(!state.contains(.insertionReported), object, "is reported as new")
        case .erased: expect(!state.contains(.deletionReported), object, "is reported as to be deleted")
        }
    }

    // MARK: Both ends of relationships

    /// Checks that a loaded relationship and its loaded inverse agree.
    private mutating func checkEnds(of object: NSManagedObject) {
        guard isSettled(object), let extra = object._extra else { return }
        for (index, materialised) in extra.relationships.enumerated() {
            let relationship = object.layout.relationships[index]
            guard let inverse = relationship.inverse, let materialised else { continue }
            if let toMany = materialised as? ToMany {
                guard !toMany.isFault else { continue }
                for member in toMany.members { checkEnd(of: member, inverse, leadsTo: object, relationship) }
            } else if let destination = materialised as? NSManagedObject {
                checkEnd(of: destination, inverse, leadsTo: object, relationship)
            }
        }
    }

    private func leads(_ other: EntityLayout.Relationship, to layout: EntityLayout, backBy name: String) -> Bool {
        guard other.inverse?.name == name else { return false }
        return context.layouts.byNumber[other.destinationNumber].map(layout.isKind) ?? false
    }

    private func isSettled(_ object: NSManagedObject) -> Bool {
        !object._state.isEnding && !object._state.contains(.fault) && !object._state.contains(.inaccessible)
            && object.context === context
    }

    private mutating func checkEnd(
        of other: NSManagedObject, _ inverse: EntityLayout.Inverse, leadsTo object: NSManagedObject,
        _ relationship: EntityLayout.Relationship
    ) {
        guard isSettled(other), let extra = other._extra,
            let index = other.layout.relationshipIndex(named: inverse.name), index < extra.relationships.count,
            let end = extra.relationships[index],
            // In some models several relationships share an inverse, which refers back through one of them.
            other.layout.relationships[index].inverse?.name == relationship.name,
            other.layout.relationships.count(where: { leads($0, to: object.layout, backBy: relationship.name) }) == 1
        else { return }
        let leadsBack =
            if let toMany = end as? ToMany { toMany.isFault || toMany.contains(object) } else { end === object }
        expect(
            leadsBack, object,
            "\(relationship.name) leads to \(other.layout.name) \(other._key), whose \(inverse.name) does not lead back"
        )
    }
}
#endif
