import CoreDataRowStorage
import PredicateFormat

/// An index of a context's objects with unsaved changes: finds those that may have a value without evaluating a predicate for
/// all of them.
///
/// Built by the first fetch that can use it and dropped whenever the list of changed objects is rewritten, as saves do. It
/// identifies objects by their positions in that list, so it retains none. Lookups return candidates, some of which may no
/// longer have the value; the fetch evaluates its predicate for them.
///
/// Every announced change adds its object to the current change-processing pass. The next pass forwards its objects to
/// ``note(_:)``, and the next lookup reads their values again. Code that replaces values without announcing a change calls
/// ``NSManagedObject/noteUnannouncedValues()``.
final class PendingIndex {
    /// The number of changed objects up to which evaluating the predicate for each is faster.
    static let fewestObjects = 32
    /// The maximum number of attributes that are indexed at once.
    private static let mostColumns = 8

    private var columns: [PendingColumn] = []
    /// The position of each object in the context's list of changed objects.
    private var positions: [ObjectIdentifier: Int] = [:]
    /// The number of objects of that list that have been indexed.
    private var count = 0
    /// The positions of objects with values that may have changed since they were indexed.
    private var outdated: ContiguousArray<Int> = []
    /// True while values are being read, which may run hooks of objects, which may fetch.
    private var isReading = false

    // MARK: Noting changes

    /// Records that the values of an object may have changed.
    func note(_ object: NSManagedObject) {
        if let position = positions[ObjectIdentifier(object)] { outdated.append(position) }
    }

    /// True if more changes were recorded than rebuilding the index would cost.
    var isOutgrown: Bool { outdated.count > max(count, 1024) }

    /// Removes the last entry of the list of changed objects.
    func removeLast(_ object: NSManagedObject, at position: Int) {
        guard position < count else { return }
        count = position
        positions[ObjectIdentifier(object)] = nil
        for column in columns { column.truncate(to: count) }
    }

    // MARK: Finding

    /// Returns the up-to-date index of an attribute; nil if none can be built now.
    func column(for lookup: PendingLookup, of layout: EntityLayout, in context: NSManagedObjectContext)
        -> PendingColumn?
    {
        guard !isReading else { return nil }
        isReading = true
        defer { isReading = false }
        guard update(in: context) else { return nil }
        if let known = columns.first(where: { $0.layout === layout && $0.name == lookup.name }) { return known }
        guard columns.count < Self.mostColumns else { return nil }
        let column = PendingColumn(lookup, layout)
        for position in 0..<count where position < context.changes.objects.count {
            column.append(context.changes.objects[position])
        }
        // Hooks may have saved or rolled back meanwhile.
        guard context.changes.index === self, column.count == count else { return nil }
        columns.append(column)
        return column
    }

    /// Reads the values of objects that are new in the list or have changed. Returns false if a hook invalidated the index.
    private func update(in context: NSManagedObjectContext) -> Bool {
        // The values of these may be written without further notification until the pass ends.
        context.changes.event.forEachUnretained { note($0) }
        let positions = outdated
        outdated = []
        for position in positions where position < count {
            guard context.changes.index === self, position < context.changes.objects.count else { return false }
            let object = context.changes.objects[position]
            guard self.positions[ObjectIdentifier(object)] == position else { continue }
            for column in columns { column.set(object, at: position) }
        }
        while count < context.changes.objects.count {
            guard context.changes.index === self else { return false }
            let object = context.changes.objects[count]
            self.positions[ObjectIdentifier(object)] = count
            count += 1
            for column in columns { column.append(object) }
        }
        return context.changes.index === self
    }
}

/// The index of one attribute of an entity and its subentities.
final class PendingColumn {
    /// Replaces the hash of an object of another entity.
    private static let foreign = 0
    /// Replaces the hash of an object to be deleted. Fetches do not find it.
    private static let deleted = 1
    /// Replaces the hash of an unknown value or one that cannot be hashed. The object is always a candidate.
    private static let unknown = 2

    let layout: EntityLayout
    let name: String
    private let key: PredicateKey
    /// The hash of each object's value, by position.
    private var hashes: ContiguousArray<Int> = []
    /// The positions of each hash as linked lists, some with outdated entries.
    private var heads: [Int: Int32] = [:]
    private var links: ContiguousArray<(position: Int32, next: Int32)> = []
    /// True for objects that may have a row in a store, by position.
    private var standForRows: ContiguousArray<Bool> = []
    private(set) var members = Members()

    /// The number of changed objects of the entity.
    struct Members {
        var count = 0
        /// The number of those that may have a row in a store.
        var ofRows = 0
    }

    init(_ lookup: PendingLookup, _ layout: EntityLayout) {
        self.layout = layout
        name = lookup.name
        key = PredicateKey(lookup.name)
    }

    var count: Int { hashes.count }

    func append(_ object: NSManagedObject) {
        let hash = hash(of: object)
        hashes.append(hash)
        standForRows.append(hash != Self.foreign && object.mayStandForRow)
        guard hash != Self.foreign else { return }
        members.count += 1
        if standForRows[hashes.count - 1] { members.ofRows += 1 }
        link(hashes.count - 1, hash)
    }

    func set(_ object: NSManagedObject, at position: Int) {
        guard position < hashes.count, hashes[position] != Self.foreign else { return }
        let hash = hash(of: object)
        guard position < hashes.count, hashes[position] != hash else { return }
        hashes[position] = hash
        link(position, hash)
    }

    func truncate(to count: Int) {
        while hashes.count > count {
            if hashes.removeLast() != Self.foreign { members.count -= 1 }
            if standForRows.removeLast() { members.ofRows -= 1 }
        }
    }

    /// Returns the sorted positions of objects with values that may have one of the hashes.
    func candidates(_ lookup: PendingLookup) -> [Int] {
        var found: [Int] = []
        for hash in lookup.hashes { collect(hash, &found) }
        collect(Self.unknown, &found)
        guard found.count > 1 else { return found }
        found.sort()
        // Values that changed and changed back are linked twice.
        var last = -1
        return found.filter { position in
            defer { last = position }
            return position != last
        }
    }

    private func collect(_ hash: Int, _ found: inout [Int]) {
        var next = heads[hash] ?? -1
        while next >= 0 {
            let link = links[Int(next)]
            let position = Int(link.position)
            if position < hashes.count, hashes[position] == hash { found.append(position) }
            next = link.next
        }
    }

    private func link(_ position: Int, _ hash: Int) {
        guard hash != Self.deleted else { return }
        if links.count > 2 * hashes.count + 64 { removeOutdatedLinks() }
        links.append((Int32(position), heads[hash] ?? -1))
        heads[hash] = Int32(links.count - 1)
    }

    private func removeOutdatedLinks() {
        heads.removeAll(keepingCapacity: true)
        links.removeAll(keepingCapacity: true)
        for (position, hash) in hashes.enumerated() where hash != Self.foreign { link(position, hash) }
    }

    // MARK: Values

    private func hash(of object: NSManagedObject) -> Int {
        guard object.layout.isKind(of: layout) else { return Self.foreign }
        if object._state.isDeleted { return Self.deleted }
        // Read as the predicate reads it. Unchanged faults do not concern the fetch.
        guard object.hasUnsavedChanges || !object._state.contains(.fault),
            let value = try? object.predicateValueThrowing(forKey: key), object._row != nil
        else { return Self.unknown }
        return PendingLookup.hash(value) ?? Self.unknown
    }
}

extension PendingLookup {
    /// Returns a hash of an attribute's value or a constant: values that compare equal in predicates have equal hashes. nil for
    /// values that are not looked up.
    static func hash(_ value: PredicateValue) -> Int? {
        var hasher = Hasher()
        switch value {
        case .null: hasher.combine(0)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(text)
        case .date(let date): hasher.combine(date)
        case .other(let uuid as UUID): hasher.combine(uuid)
        default: return nil
        }
        let hash = hasher.finalize()
        // The lowest values are reserved for objects without a hash.
        return (0..<8).contains(hash) ? hash + 8 : hash
    }
}

extension NSManagedObject {
    /// Records that the object's values have been replaced or set without an announced change.
    final func noteUnannouncedValues() {
        guard _state.contains(.enlisted) else { return }
        contextReference?._withUnsafeGuaranteedRef { $0.changes.index?.note(self) }
    }
}
