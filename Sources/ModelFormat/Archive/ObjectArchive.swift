import Foundation

/// A keyed archive of values that come from elsewhere, such as the bytes of a transformable attribute.
///
/// Foundation's unarchiver off Apple's platforms trusts an archive: references that lead nowhere, circles, fields of another
/// kind, and nests of any depth end the process. Archives are therefore read whole here first. One that holds only objects
/// of the classes below becomes those objects without Foundation's unarchiver; for one that holds others as well, what is
/// checked is all that can be known without their classes.
package struct ObjectArchive {
    /// The classes whose objects are made here, by name, with those of their ancestors that an archive may be limited to.
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
    /// How deep objects may lie in each other: Foundation reads and destroys them by recursion.
    package static let depthLimit = 200
    /// How many objects an archive may hold when each is counted as often as it is referred to.
    package static let sizeLimit = 10_000_000

    /// The classes of the archive that are made here.
    package private(set) var knownNames: Set<String> = []
    /// For each other class of the archive, its name and those that it says are its ancestors, nearest first.
    package private(set) var foreignClasses: [[String]] = []

    private let archive: KeyedArchive
    private let root: Int
    /// The objects that the root leads to, each after those it refers to.
    private var order: [Int] = []
    private var parts: [Int: ArchivedPart] = [:]

    /// Looks through an archive.
    ///
    /// - Parameter isClass: Whether the program has a class of that name, which may be any in an archive.
    /// - Throws: ``ModelFormatError`` for anything that cannot be made into objects.
    package init(_ data: Data, isClass: (String) -> Bool) throws(ModelFormatError) {
        archive = try KeyedArchive(data)
        root = try archive.rootIndex()
        guard root != 0 else { return }
        try walk(isClass)
        try measure()
    }

    /// The classes of the top-level object and, where that is a collection, of its elements at any depth. Objects inside an
    /// object of another class are left out: its `init(coder:)` decides about them.
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

    /// Whether the archive holds nothing but objects that are made here.
    package var isKnown: Bool { foreignClasses.isEmpty }

    /// The object of an archive for which ``isKnown`` is true; nil for an archive of nil.
    ///
    /// - Throws: ``ModelFormatError`` for URLs that are none.
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

    /// Puts the objects in order, without recursion.
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
