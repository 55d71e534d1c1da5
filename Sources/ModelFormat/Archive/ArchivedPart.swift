import Foundation

/// A class as described by an archive.
struct ArchivedClass {
    /// The class of ``ObjectArchive/knownClasses`` that represents it, unless the program has a closer one.
    let known: String?
    /// The class and its ancestors, nearest first, as listed in the archive.
    let lineage: [String]

    init(_ node: PropertyListNode, _ isClass: (String) -> Bool) throws(ModelFormatError) {
        guard node["$classname"]?.string != nil, let list = node["$classes"]?.array, !list.isEmpty else {
            throw .damaged("an object has no class")
        }
        var lineage: [String] = []
        for item in list {
            guard let item = item.string else { throw .damaged("the name of a class is no text") }
            lineage.append(item)
        }
        self.lineage = lineage
        let nearest = lineage.first { ObjectArchive.knownClasses[$0] != nil || isClass($0) }
        known = nearest.flatMap { ObjectArchive.knownClasses[$0] == nil ? nil : $0 }
    }
}

/// One validated object of an archive, with the indexes of the objects it references.
struct ArchivedPart {
    private enum Kind {
        case scalar(PropertyListNode)
        case text(String, isMutable: Bool)
        case number(NSNumber)
        case decimal(Decimal)
        case date(Double)
        case data(Data, isMutable: Bool)
        case uuid(UUID)
        case null
        /// The address, followed by the base if there is one.
        case url(hasBase: Bool)
        case array(isMutable: Bool)
        case set(isMutable: Bool)
        case orderedSet(isMutable: Bool)
        /// The keys, followed by the values.
        case dictionary(isMutable: Bool)
        case foreign
    }

    private let kind: Kind
    /// The indexes of the referenced objects; 0 is nil.
    let references: [Int]
    /// The name of the object's class, if this module creates its objects.
    private(set) var known: String?
    /// Otherwise the names of the object's class and its ancestors.
    private(set) var foreign: [String]?

    /// The references to objects that are hashed when this one is created.
    var hashed: ArraySlice<Int> {
        switch kind {
        case .set, .orderedSet: references[...]
        case .dictionary: references[..<(references.count / 2)]
        default: []
        }
    }

    /// True if the object may be an element of a set or a key. Off Apple's platforms Foundation recurses infinitely when
    /// hashing an `NSDecimalNumber`, crashes when comparing sets of collections, and miscounts dates that are NaN.
    var isHashable: Bool {
        switch kind {
        case .decimal, .array, .set, .orderedSet, .dictionary: false
        case .date(let interval): !interval.isNaN
        case .scalar(.date(let interval)): !interval.isNaN
        case .scalar, .text, .number, .data, .uuid, .null, .url, .foreign: true
        }
    }

    /// Reads and validates one object.
    ///
    /// - Parameters:
    ///   - classes: the class descriptions read so far, by index.
    ///   - isClass: returns whether the program has a class of a name.
    init(
        _ node: PropertyListNode, in archive: KeyedArchive, _ classes: inout [Int: ArchivedClass],
        isClass: (String) -> Bool
    ) throws(ModelFormatError) {
        switch node {
        case .array, .uid: throw .damaged("an object has no class")
        case .dictionary(let fields):
            guard case .uid(let index)? = fields["$class"], archive.indices.contains(index) else {
                throw .damaged("an object has no class")
            }
            let type: ArchivedClass
            if let seen = classes[index] {
                type = seen
            } else {
                type = try ArchivedClass(archive.node(index), isClass)
                classes[index] = type
            }
            if let name = type.known {
                known = name
                (kind, references) = try Self.known(ArchivedFields(fields, archive), name)
            } else {
                foreign = type.lineage
                kind = .foreign
                var found: [Int] = []
                for (key, value) in fields where key != "$class" { Self.collect(value, &found) }
                references = found
            }
        default:
            known = Self.className(of: node)
            kind = .scalar(node)
            references = []
        }
    }

    private static func className(of scalar: PropertyListNode) -> String {
        switch scalar {
        case .string: "NSString"
        case .data: "NSData"
        case .date: "NSDate"
        default: "NSNumber"
        }
    }

    /// Collects the references in a value, including those in nested containers. Cycles and depth were checked when the archive
    /// was opened.
    private static func collect(_ node: PropertyListNode, _ found: inout [Int]) {
        switch node {
        case .uid(let index): found.append(index)
        case .array(let items): for item in items { collect(item, &found) }
        case .dictionary(let entries): for item in entries.values { collect(item, &found) }
        default: break
        }
    }

    private static func known(
        _ fields: ArchivedFields, _ name: String
    ) throws(ModelFormatError) -> (Kind, [Int]) {
        let isMutable = name.hasPrefix("NSMutable")
        switch name {
        case "NSString", "NSMutableString":
            return (.text(try fields.text("NS.string"), isMutable: isMutable), [])
        case "NSNumber": return (.number(try fields.number()), [])
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return (.decimal(try fields.decimal()), [])
        case "NSDate": return (.date(try fields.real("NS.time")), [])
        case "NSData", "NSMutableData": return (.data(try fields.data("NS.data"), isMutable: isMutable), [])
        case "NSUUID": return (.uuid(try fields.uuid()), [])
        case "NSURL":
            let address = try fields.reference("NS.relative")
            let base = try fields.reference("NS.base")
            return (.url(hasBase: base != 0), base == 0 ? [address] : [address, base])
        case "NSArray", "NSMutableArray": return (.array(isMutable: isMutable), try fields.members())
        case "NSSet", "NSMutableSet": return (.set(isMutable: isMutable), try fields.members())
        case "NSOrderedSet", "NSMutableOrderedSet": return (.orderedSet(isMutable: isMutable), try fields.members())
        case "NSDictionary", "NSMutableDictionary":
            let keys = try fields.references("NS.keys"), values = try fields.references("NS.objects")
            guard keys.count == values.count else { throw .damaged("a dictionary has more keys than values, or fewer") }
            return (.dictionary(isMutable: isMutable), keys + values)
        default: return (.null, [])
        }
    }

    // MARK: Making objects

    /// Creates the object.
    ///
    /// - Parameter made: returns the objects that this one references, by index.
    func object(_ made: (Int) -> Any?) throws(ModelFormatError) -> Any {
        switch kind {
        case .scalar(let node): return try Self.object(of: node)
        case .text(let text, let isMutable): return isMutable ? NSMutableString(string: text) : NSString(string: text)
        case .number(let number): return number
        case .decimal(let number): return NSDecimalNumber(decimal: number)
        case .date(let interval): return NSDate(timeIntervalSinceReferenceDate: interval)
        case .data(let data, let isMutable): return isMutable ? NSMutableData(data: data) : NSData(data: data)
        case .uuid(let id): return id as NSUUID
        case .null: return NSNull()
        case .url(let hasBase): return try url(hasBase, made)
        case .array(let isMutable):
            let items = try objects(references[...], made)
            return isMutable ? NSMutableArray(array: items) : NSArray(array: items)
        case .set(let isMutable):
            let items = try objects(references[...], made)
            return isMutable ? NSMutableSet(array: items) : NSSet(array: items)
        case .orderedSet(let isMutable):
            let result = NSMutableOrderedSet()
            // Created from an array, it would keep equal members.
            for item in try objects(references[...], made) { result.add(item) }
            return isMutable ? result : NSOrderedSet(orderedSet: result)
        case .dictionary(let isMutable):
            let result = NSMutableDictionary()
            let keys = try objects(hashed, made), values = try objects(references[(references.count / 2)...], made)
            for (key, value) in zip(keys, values) {
                guard let key = key as? NSObject else { throw .damaged("a key is no object") }
                result[key] = value
            }
            return isMutable ? result : result.copy()
        case .foreign: throw ModelFormatError(.unsupported, "an archive holds an object of another class")
        }
    }

    private static func object(of node: PropertyListNode) throws(ModelFormatError) -> Any {
        switch node {
        case .string(let text): NSString(string: text)
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .data(let data): NSData(data: data)
        case .date(let interval): NSDate(timeIntervalSinceReferenceDate: interval)
        default: throw .damaged("an object has no class")
        }
    }

    private func objects(_ references: ArraySlice<Int>, _ made: (Int) -> Any?) throws(ModelFormatError) -> [Any] {
        var objects: [Any] = []
        objects.reserveCapacity(references.count)
        for reference in references {
            guard let object = made(reference) else { throw .damaged("a reference leads nowhere") }
            objects.append(object)
        }
        return objects
    }

    private func url(_ hasBase: Bool, _ made: (Int) -> Any?) throws(ModelFormatError) -> Any {
        guard let address = made(references[0]) as? String else { throw .damaged("the address of a URL is no text") }
        var base: URL?
        if hasBase {
            guard let url = made(references[1]) as? NSURL else { throw .damaged("the base of a URL is no URL") }
            base = url as URL
        }
        // Off Apple's platforms NSURL accepts strings that URL rejects, and crashes when bridged.
        guard let url = NSURL(string: address, relativeTo: base), let text = url.absoluteString as String?,
            URL(string: text) != nil
        else { throw .damaged("a URL is none") }
        return url
    }
}
