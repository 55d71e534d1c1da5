import CoreDataRowStorage
import PredicateFormat

/// An index over a context's objects with unsaved changes: finds those that may have a value without evaluating a predicate
/// for all of them.
///
/// Made by the first fetch that can use it and dropped whenever the context's list of changed objects is rewritten, as saves
/// do. It names objects by their positions in that list, so it retains none. Lookups return candidates, some of which may have
/// the value no longer; the fetch evaluates its predicate for them.
///
/// Every announced change puts its object into the context's event. The next processing of changes passes the event on to
/// ``note(_:)``, and the next lookup reads the values of those objects again. Code that replaces values without announcing a
/// change calls ``NSManagedObject/noteUnannouncedValues()``.
final class PendingIndex {
    /// Up to so many changed objects, evaluating the predicate for each is faster.
    static let fewestObjects = 32
    /// More attributes than this are not indexed at once.
    private static let mostColumns = 8

    private var columns: [PendingColumn] = []
    /// Where each object is in the context's list of changed objects.
    private var positions: [ObjectIdentifier: Int] = [:]
    /// How many objects of that list have been indexed.
    private var count = 0
    /// The positions of objects whose values may have changed since they were indexed.
    private var outdated: ContiguousArray<Int> = []
    /// Values are being read, which may run hooks of objects, which may fetch.
    private var isReading = false

    // MARK: Noting changes

    /// The values of an object may have changed.
    func note(_ object: NSManagedObject) {
        if let position = positions[ObjectIdentifier(object)] { outdated.append(position) }
    }

    /// Whether more changes were noted than building the index again would cost.
    var isOutgrown: Bool { outdated.count > max(count, 1024) }

    /// The list of changed objects loses its last entry.
    func removeLast(_ object: NSManagedObject, at position: Int) {
        guard position < count else { return }
        count = position
        positions[ObjectIdentifier(object)] = nil
        for column in columns { column.truncate(to: count) }
    }

    // MARK: Finding

    /// The index of an attribute, up to date. nil where there cannot be one now.
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

    /// Reads the values of objects that are new in the list or have changed. False when a hook made the index invalid.
    private func update(in context: NSManagedObjectContext) -> Bool {
        // The values of these may be written without further notice until the event ends.
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
    /// In place of a hash: the object is of another entity.
    private static let foreign = 0
    /// In place of a hash: the object is to be deleted. Fetches do not find it.
    private static let deleted = 1
    /// In place of a hash: the value is not known, or cannot be hashed. The object is always a candidate.
    private static let unknown = 2

    let layout: EntityLayout
    let name: String
    private let key: PredicateKey
    /// By position, the hash of each object's value.
    private var hashes: ContiguousArray<Int> = []
    /// The positions of each hash as linked lists, some with outdated entries.
    private var heads: [Int: Int32] = [:]
    private var links: ContiguousArray<(position: Int32, next: Int32)> = []
    /// By position, whether the object may stand for a row of a store.
    private var standForRows: ContiguousArray<Bool> = []
    private(set) var members = Members()

    /// The number of changed objects that are of the entity.
    struct Members {
        var count = 0
        /// Those that may stand for a row of a store.
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

    /// The positions of objects whose values may have one of the hashes, in order.
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
        // Read as the predicate reads it. Faults without changes are none of the fetch's business.
        guard object.hasUnsavedChanges || !object._state.contains(.fault),
            let value = try? object.predicateValueThrowing(forKey: key), object._row != nil
        else { return Self.unknown }
        return PendingLookup.hash(value) ?? Self.unknown
    }
}

extension PendingLookup {
    /// A hash of what an attribute holds or is compared with: values that are equal in predicates have the same. nil for values
    /// that are not looked up.
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
        // The first few stand for objects without a hash.
        return (0..<8).contains(hash) ? hash + 8 : hash
    }
}

extension NSManagedObject {
    /// The object's values have been replaced, or set, without an announced change.
    final func noteUnannouncedValues() {
        guard _state.contains(.enlisted) else { return }
        contextReference?._withUnsafeGuaranteedRef { $0.changes.index?.note(self) }
    }
}
