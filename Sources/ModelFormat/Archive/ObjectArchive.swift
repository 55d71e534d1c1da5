import Foundation

/// A keyed archive from an untrusted source, such as the bytes of a transformable attribute.
///
/// Off Apple's platforms Foundation's unarchiver trusts an archive: dangling references, cycles, fields of the wrong type, and
/// deep nesting crash the process. Archives are therefore validated as a whole first. An archive of objects of the classes
/// below is decoded here without Foundation's unarchiver; for other classes, everything is validated that does not depend on
/// the class.
package struct ObjectArchive {
    /// The classes decoded here, by name, each with the class names that an archive may be restricted to.
    package static let knownClasses: [String: [String]] = [
        "NSArray": ["NSArray"], "NSMutableArray": ["NSMutableArray", "NSArray"],
        "NSData": ["NSData"], "NSMutableData": ["NSMutableData", "NSData"],
        "NSDate": ["NSDate"],
        "NSDecimalNumber": ["NSDecimalNumber", "NSNumber", "NSValue"],
        "NSDecimalNumberPlaceholder": ["NSDecimalNumber", "NSNumber", "NSValue"],
        "NSDictionary": ["NSDictionary"], "NSMutableDictionary": ["NSMutableDictionary", "NSDictionary"],
        "NSNull": ["NSNull"],
        "NSNumber": ["NSNumber", "NSValue"],
        "NSOrderedSet": ["NSOrderedSet"], "NSMutableOrderedSet": ["NSMutableOrderedSet", "NSOrderedSet"],
        "NSSet": ["NSSet"], "NSMutableSet": ["NSMutableSet", "NSSet"],
        "NSString": ["NSString"], "NSMutableString": ["NSMutableString", "NSString"],
        "NSURL": ["NSURL"], "NSUUID": ["NSUUID"],
    ]
    /// The maximum nesting of objects: Foundation reads and frees them recursively.
    package static let depthLimit = 200
    /// The maximum number of objects in an archive, each counted once per reference to it.
    package static let sizeLimit = 10_000_000

    /// The classes of the archive that are decoded here.
    package private(set) var knownNames: Set<String> = []
    /// The other classes of the archive, each with its listed ancestors, nearest first.
    package private(set) var foreignClasses: [[String]] = []

    private let archive: KeyedArchive
    private let root: Int
    /// The objects reachable from the root, in dependency order.
    private var order: [Int] = []
    private var parts: [Int: ArchivedPart] = [:]

    /// Validates an archive.
    ///
    /// - Parameter isClass: returns whether the program has a class of a name, which may be any name in the archive.
    /// - Throws: ``ModelFormatError`` for an archive that cannot be decoded to objects.
    package init(_ data: Data, isClass: (String) -> Bool) throws(ModelFormatError) {
        archive = try KeyedArchive(data)
        root = try archive.rootIndex()
        guard root != 0 else { return }
        try walk(isClass)
        try measure()
    }

    /// The classes of the root object and, if that is a collection, of its elements at any depth. Objects inside an object of
    /// another class are omitted: its `init(coder:)` validates them.
    package var outerClasses: (known: Set<String>, foreign: [[String]]) {
        if isKnown || root == 0 { return (knownNames, foreignClasses) }
        var (known, foreign): (Set<String>, Set<[String]>) = ([], [])
        var seen: Set<Int> = [0, root]
        var pending = [root]
        while let index = pending.popLast() {
            guard let part = parts[index] else { continue }
            if let lineage = part.foreign {
                foreign.insert(lineage)
            } else {
                if let name = part.known { known.insert(name) }
                pending += part.references.filter { seen.insert($0).inserted }
            }
        }
        return (known, foreignClasses.filter(foreign.contains))
    }

    /// True if all objects of the archive are decoded here.
    package var isKnown: Bool { foreignClasses.isEmpty }

    /// Returns the object of an archive for which ``isKnown`` is true; nil for an archive of nil.
    ///
    /// - Throws: ``ModelFormatError`` for malformed URLs.
    package func object() throws(ModelFormatError) -> Any? {
        guard root != 0 else { return nil }
        var objects: [Int: Any] = [:]
        for index in order {
            guard let part = parts[index] else { continue }
            objects[index] = try part.object { objects[$0] }
        }
        return objects[root]
    }

    // MARK: Checking

    /// Puts the objects in dependency order, without recursion.
    private mutating func walk(_ isClass: (String) -> Bool) throws(ModelFormatError) {
        var isOpen: Set<Int> = []
        var classes: [Int: ArchivedClass] = [:]
        var seen: Set<[String]> = []
        var pending: [(index: Int, next: Int)] = []
        func open(_ index: Int) throws(ModelFormatError) {
            let part = try ArchivedPart(archive.node(index), in: archive, &classes, isClass: isClass)
            if let name = part.known { knownNames.insert(name) }
            if let lineage = part.foreign, seen.insert(lineage).inserted { foreignClasses.append(lineage) }
            parts[index] = part
            isOpen.insert(index)
            pending.append((index, 0))
        }
        try open(root)
        while let last = pending.last {
            guard let part = parts[last.index] else { break }
            guard last.next < part.references.count else {
                isOpen.remove(last.index)
                order.append(last.index)
                pending.removeLast()
                continue
            }
            pending[pending.count - 1].next += 1
            let reference = part.references[last.next]
            guard archive.indices.contains(reference) else { throw .damaged("a reference leads nowhere") }
            guard reference != 0 else {
                if part.known != nil { throw .damaged("a collection holds nil") }
                continue
            }
            if isOpen.contains(reference) { throw .damaged("objects refer to each other in a circle") }
            if parts[reference] == nil { try open(reference) }
        }
    }

    private func measure() throws(ModelFormatError) {
        var depths: [Int: Int] = [:]
        var sizes: [Int: Int] = [:]
        for index in order {
            guard let part = parts[index] else { continue }
            var (depth, size) = (0, 1)
            for reference in part.references where reference != 0 {
                depth = max(depth, depths[reference] ?? 0)
                size += sizes[reference] ?? 0
                guard size <= Self.sizeLimit else {
                    throw ModelFormatError(.limitExceeded, "an archive repeats its objects beyond reason")
                }
            }
            for reference in part.hashed where parts[reference]?.isHashable == false {
                throw ModelFormatError(
                    .unsupported,
                    "a set, or the keys of a dictionary, hold what Foundation does not hash or compare")
            }
            guard depth < Self.depthLimit else {
                throw ModelFormatError(
                    .limitExceeded, "the objects of an archive are nested more than \(Self.depthLimit) deep")
            }
            depths[index] = depth + 1
            sizes[index] = size
        }
    }
}

extension ModelFormatError {
    static func damaged(_ what: String) -> ModelFormatError {
        ModelFormatError(.malformed, "an archive is damaged: \(what)")
    }
}

extension ObjectArchive {
    /// Returns the name of the class of an archive's root object, without decoding it; nil for other data, and for a root
    /// that is a plain value.
    package static func rootClassName(in data: Data) -> String? { try? KeyedArchive(data).root().className }
}
