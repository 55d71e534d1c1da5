import Foundation

/// The objects of a keyed archive (`NSKeyedArchiver`), unarchived only as far as asked.
///
/// References between the objects may form circles; walking them is the reader's business. Nothing is instantiated: an
/// archive names classes, and here those names are only text.
final class KeyedArchive {
    let objects: [PropertyListNode]
    private let top: PropertyListNode?
    /// How many references may still be followed. Honest archives need a few for every object; hostile ones share their
    /// objects so that a small file would be read for ever.
    private var effort: Int

    init(_ data: Data) throws(ModelFormatError) {
        let list = try PropertyList.read(data)
        guard let objects = list["$objects"]?.array, list["$archiver"]?.string?.hasPrefix("NSKeyed") == true else {
            throw ModelFormatError(.malformed, "the property list is no keyed archive")
        }
        self.objects = objects
        effort = 1_000_000 + 50 * objects.count
        top = list["$top"]?["root"] ?? list["$top"]?.dictionary?.values.first
    }

    /// The object the archive was made of.
    func root() throws(ModelFormatError) -> ArchivedObject {
        guard case .uid(let index) = top, objects.indices.contains(index) else {
            throw ModelFormatError(.malformed, "the archive has no root object")
        }
        return ArchivedObject(archive: self, index: index)
    }

    /// Whether so many references may be followed. When the effort is used up, everything looks empty, and
    /// ``checkEffort()`` says why.
    fileprivate func spend(_ count: Int) -> Bool {
        effort -= count
        return effort > 0
    }

    /// To be called when the archive has been read.
    func checkEffort() throws(ModelFormatError) {
        guard effort > 0 else {
            throw ModelFormatError(.limitExceeded, "the archive refers to its objects beyond reason")
        }
    }
}

/// One object of a keyed archive.
struct ArchivedObject {
    let archive: KeyedArchive
    let index: Int

    private var node: PropertyListNode { archive.objects[index] }

    /// The object's class; `nil` for plain values.
    var className: String? {
        guard case .uid(let reference)? = node["$class"], archive.objects.indices.contains(reference) else {
            return nil
        }
        return archive.objects[reference]["$classname"]?.string
    }

    /// A value that stands in the object itself or is referred to by it; `nil` if absent, null, or dangling.
    private func resolved(_ node: PropertyListNode?) -> PropertyListNode? {
        guard let node else { return nil }
        guard case .uid(let index) = node else { return node }
        guard index != 0, archive.objects.indices.contains(index) else { return nil }
        let value = archive.objects[index]
        return value == .string("$null") ? nil : value
    }

    private func object(_ node: PropertyListNode?) -> ArchivedObject? {
        guard case .uid(let index)? = node, index != 0, archive.objects.indices.contains(index),
            archive.objects[index] != .string("$null"), archive.spend(1)
        else { return nil }
        return ArchivedObject(archive: archive, index: index)
    }

    func object(_ key: String) -> ArchivedObject? { object(node[key]) }

    func integer(_ key: String) -> Int? { resolved(node[key])?.integer.flatMap { Int(exactly: $0) } }

    func real(_ key: String) -> Double? {
        switch resolved(node[key]) {
        case .real(let value)?, .date(let value)?: value
        case let other?: other.integer.map(Double.init)
        case nil: nil
        }
    }

    func flag(_ key: String) -> Bool { (integer(key) ?? 0) != 0 }

    func data(_ key: String) -> Data? { resolved(node[key])?.data }

    func string(_ key: String) -> String? {
        guard let value = resolved(node[key]) else { return nil }
        return value.string ?? object(key)?.text
    }

    /// The object as text, if it is one: plain, or a mutable string's dictionary.
    var text: String? { node.string ?? node["NS.string"]?.string }

    /// The object as a plain value.
    var plainValue: PropertyListNode { node }

    /// The elements of an archived array, set or plain array.
    func array(_ key: String) -> [ArchivedObject]? {
        if let items = resolved(node[key])?.array { return items.compactMap { object($0) } }
        return object(key)?.elements
    }

    /// The elements of this array, ordered set or set.
    var elements: [ArchivedObject]? {
        let items = node.array ?? resolved(node["NS.objects"])?.array
        guard let items else {
            // Ordered sets and old arrays number their elements instead.
            guard object("NS.object.0") != nil else { return nil }
            return (0..<node.dictionary!.count).compactMap { object("NS.object.\($0)") }
        }
        return items.compactMap { object($0) }
    }

    /// The entries of an archived dictionary with text keys, in the archive's order. Null values are left out.
    func entries(_ key: String) -> [(key: String, value: ArchivedObject)]? { object(key)?.entries }

    /// The entries of this dictionary, an ordinary one or one with known keys.
    var entries: [(key: String, value: ArchivedObject)]? {
        let keys: [ArchivedObject?]
        let values: [ArchivedObject?]
        if let mapping = object("searchMapping") {
            keys = mapping.array("keys") ?? []
            values = array("values") ?? []
        } else {
            guard let keyNodes = node["NS.keys"]?.array, let valueNodes = node["NS.objects"]?.array else { return nil }
            keys = keyNodes.map { object($0) }
            values = valueNodes.map { object($0) }
        }
        return zip(keys, values).compactMap { key, value in
            guard let name = key?.text, let value else { return nil }
            return (name, value)
        }
    }
}
