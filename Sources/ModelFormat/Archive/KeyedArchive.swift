import Foundation

/// The objects of a keyed archive (`NSKeyedArchiver`), read lazily from the archive itself.
///
/// References between objects may form cycles; traversals must handle them. No classes are instantiated: the class names of an
/// archive are treated as text.
final class KeyedArchive {
    fileprivate let list: PropertyListTable
    private let items: PropertyListTable.Items
    private let top: Int?
    /// The remaining number of references that may be followed. Valid archives need a few per object; in hostile ones shared
    /// objects make the traversal of a small file exponential.
    private var effort: Int

    convenience init(_ data: Data) throws(ModelFormatError) { try self.init(data.bytes) }

    init(_ bytes: [UInt8]) throws(ModelFormatError) {
        let list = try PropertyListTable(bytes)
        guard let items = list.value("$objects", in: list.top).flatMap(list.items),
            list.value("$archiver", in: list.top).flatMap(list.string)?.hasPrefix("NSKeyed") == true
        else {
            throw ModelFormatError(.malformed, "the property list is no keyed archive")
        }
        for index in 0..<items.count { try list.checkNesting(list.number(index, of: items)) }
        self.list = list
        self.items = items
        effort = 1_000_000 + 50 * items.count
        top = list.value("$top", in: list.top).flatMap { list.value("root", in: $0) ?? list.firstValue(in: $0) }
    }

    /// The indexes of the objects.
    var indices: Range<Int> { 0..<items.count }

    /// Returns an object as a plain value.
    func node(_ index: Int) -> PropertyListNode { list.node(place(index)) }

    /// Returns the index of the root object, 0 for an archive of nil.
    func rootIndex() throws(ModelFormatError) -> Int {
        guard let index = list.value("$top", in: list.top).flatMap({ list.value("root", in: $0) }).flatMap(list.uid),
            indices.contains(index)
        else { throw ModelFormatError(.malformed, "the archive has no root object") }
        return list.isText(place(index), "$null") ? 0 : index
    }

    /// Returns the root object.
    func root() throws(ModelFormatError) -> ArchivedObject {
        guard let top, let index = list.uid(top), indices.contains(index) else {
            throw ModelFormatError(.malformed, "the archive has no root object")
        }
        return ArchivedObject(archive: self, index: index)
    }

    /// Deducts followed references from the limit; returns false if it is exceeded. From then on all objects read as empty, and
    /// ``checkEffort()`` throws.
    fileprivate func spend(_ count: Int) -> Bool {
        effort -= count
        return effort > 0
    }

    /// Throws if the limit of followed references was exceeded. Must be called after the archive has been read.
    func checkEffort() throws(ModelFormatError) {
        guard effort > 0 else {
            throw ModelFormatError(.limitExceeded, "the archive refers to its objects beyond reason")
        }
    }

    /// Returns the position of an object in the property list.
    fileprivate func place(_ index: Int) -> Int { list.number(index, of: items) }

    /// Returns the index of the object that a value references; `nil` for other values, null, and dangling references.
    fileprivate func index(of value: Int) -> Int? {
        guard let index = list.uid(value), index != 0, indices.contains(index),
            !list.isText(place(index), "$null")
        else { return nil }
        return index
    }

    fileprivate func object(_ value: Int) -> ArchivedObject? {
        guard let index = index(of: value) else { return nil }
        let object = ArchivedObject(archive: self, index: index)
        // Keys are searched linearly.
        return spend(1 + object.keys.count >> 4) ? object : nil
    }
}

/// One object of a keyed archive.
///
/// Accessors with many call sites are not inlined, which would account for a tenth of the generated code.
struct ArchivedObject {
    let archive: KeyedArchive
    let index: Int
    private let place: Int
    fileprivate let keys: PropertyListTable.Items
    private let notes: KeyPlaces.Notes

    init(archive: KeyedArchive, index: Int) {
        self.archive = archive
        self.index = index
        place = archive.place(index)
        keys = archive.list.keys(place)
        notes = archive.list.notes(of: keys)
    }

    private var list: PropertyListTable { archive.list }

    private func value(_ key: String) -> Int? { archive.list.value(key, among: keys, notes: notes) }

    /// The class of the object; `nil` for plain values.
    @inline(never)
    var className: String? {
        guard let value = value("$class"), let reference = list.uid(value), archive.indices.contains(reference),
            archive.spend(list.keys(archive.place(reference)).count >> 4),
            let name = list.value("$classname", in: archive.place(reference))
        else { return nil }
        return list.string(name)
    }

    /// Returns a value stored inline in the object or referenced by it; `nil` if absent, null, or dangling.
    @inline(never)
    private func resolved(_ key: String) -> Int? {
        guard let value = value(key) else { return nil }
        guard list.uid(value) != nil else { return value }
        guard let index = archive.index(of: value) else { return nil }
        return archive.place(index)
    }

    @inline(never)
    func object(_ key: String) -> ArchivedObject? {
        guard let value = value(key) else { return nil }
        return archive.object(value)
    }

    @inline(never)
    func integer(_ key: String) -> Int? {
        guard let value = resolved(key), let number = list.integer(value) else { return nil }
        return Int(exactly: number)
    }

    func real(_ key: String) -> Double? {
        switch resolved(key).flatMap(list.scalar) {
        case .real(let value)?, .date(let value)?: value
        case let other?: other.integer.map(Double.init)
        case nil: nil
        }
    }

    func flag(_ key: String) -> Bool { (integer(key) ?? 0) != 0 }

    func data(_ key: String) -> Data? { resolved(key).flatMap { list.scalar($0)?.data } }

    @inline(never)
    func string(_ key: String) -> String? {
        guard let value = resolved(key) else { return nil }
        return list.string(value) ?? object(key)?.text
    }

    /// The object as text: a plain string, or a mutable string; `nil` for other objects.
    @inline(never)
    var text: String? { list.string(place) ?? value("NS.string").flatMap(list.string) }

    /// The object as an integer; `nil` for other objects.
    var wholeNumber: Int64? { list.integer(place) }

    /// The object as a plain value.
    var plainValue: PropertyListNode { list.node(place) }

    /// Returns the elements of an archived array, set or plain array.
    @inline(never)
    func array(_ key: String) -> [ArchivedObject]? {
        guard let value = value(key) else { return nil }
        if let items = resolved(key).flatMap(list.items) { return objects(items) }
        return archive.object(value)?.elements
    }

    /// The elements of this array, ordered set or set; `nil` for other objects.
    @inline(never)
    var elements: [ArchivedObject]? {
        if let items = list.items(place) ?? resolved("NS.objects").flatMap(list.items) { return objects(items) }
        // Ordered sets and old arrays store their elements in numbered fields instead.
        guard object("NS.object.0") != nil else { return nil }
        return (0..<keys.count).compactMap {
            archive.spend(keys.count >> 6) ? object("NS.object.\($0)") : nil
        }
    }

    @inline(never)
    private func objects(_ items: PropertyListTable.Items) -> [ArchivedObject] {
        var objects: [ArchivedObject] = []
        // Null elements are skipped at no further cost.
        guard archive.spend(items.count >> 2) else { return objects }
        for index in 0..<items.count {
            if let object = archive.object(list.number(index, of: items)) { objects.append(object) }
        }
        return objects
    }

    /// Returns the entries of an archived dictionary with text keys, in the archive's order. Null values are omitted.
    func entries(_ key: String) -> ArchivedEntries { object(key)?.entries ?? ArchivedEntries(archive: archive) }

    /// The entries of this dictionary, an ordinary one or one with known keys; `nil` for other objects.
    @inline(never)
    var entries: ArchivedEntries? {
        var entries = ArchivedEntries(archive: archive)
        if let mapping = object("searchMapping") {
            entries.known = (mapping.array("keys") ?? [], array("values") ?? [])
            return entries
        }
        guard let keys = value("NS.keys").flatMap(list.items), let values = value("NS.objects").flatMap(list.items)
        else { return nil }
        // Null values are skipped at no further cost.
        guard archive.spend(keys.count >> 2) else { return nil }
        entries.keys = keys
        entries.values = values
        return entries
    }
}

/// The entries of an archived dictionary with text keys and non-null values.
struct ArchivedEntries: Sequence, IteratorProtocol {
    private let archive: KeyedArchive
    fileprivate var keys = PropertyListTable.Items.none
    fileprivate var values = PropertyListTable.Items.none
    /// The keys and values of a dictionary with keys stored in another object.
    fileprivate var known: (keys: [ArchivedObject], values: [ArchivedObject])?
    private var position = 0

    fileprivate init(archive: KeyedArchive) { self.archive = archive }

    /// The number of pairs, including null and unusable ones.
    var count: Int {
        known.map { Swift.min($0.keys.count, $0.values.count) } ?? Swift.min(keys.count, values.count)
    }

    @inline(never)
    mutating func next() -> (key: String, value: ArchivedObject)? {
        let count = count
        while position < count {
            defer { position += 1 }
            if let known {
                if let name = known.keys[position].text { return (name, known.values[position]) }
            } else if let name = archive.object(archive.list.number(position, of: keys))?.text,
                let value = archive.object(archive.list.number(position, of: values))
            {
                return (name, value)
            }
        }
        return nil
    }
}
