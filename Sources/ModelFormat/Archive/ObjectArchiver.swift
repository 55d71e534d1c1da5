import Foundation

/// Writes keyed archives of values, such as those of transformable attributes, as `NSKeyedArchiver` does.
///
/// Off Apple's platforms Foundation's archiver crashes on an `NSDecimalNumber`, and its time doubles with each level of nested
/// arrays.
package struct ObjectArchiver {
    private var builder = KeyedArchiveBuilder()
    private var count = 0

    /// Archives an object of ``ObjectArchive/knownClasses``, or of the corresponding Swift types, and returns the archive with
    /// its index; nil if it contains an object of another class.
    ///
    /// - Throws: ``ModelFormatError`` for objects that exceed the limits of ``ObjectArchive``.
    package static func archive(
        of object: Any
    ) throws(ModelFormatError) -> (data: Data, contents: ObjectArchive)? {
        var archiver = ObjectArchiver()
        guard let root = try archiver.add(object, depth: 0) else { return nil }
        let data = archiver.builder.finished(root: root)
        return (data, try ObjectArchive(data) { _ in false })
    }

    /// Returns the data of ``archive(of:)``.
    package static func data(of object: Any) throws(ModelFormatError) -> Data? { try archive(of: object)?.data }

    /// Returns whether an object, which has been archived, contains only objects of ``ObjectArchive/knownClasses``.
    package static func isKnown(_ object: Any) -> Bool {
        switch object {
        case is String, is NSNumber, is Decimal, is Data, is Date, is UUID, is URL, is NSNull: true
        case let set as NSOrderedSet: isPlain(set) && set.array.allSatisfy(isKnown)
        case let set as NSSet: isPlain(set) && set.allSatisfy(isKnown)
        case let items as NSArray: isPlain(items) && items.allSatisfy(isKnown)
        case let entries as NSDictionary:
            isPlain(entries) && entries.allSatisfy { isKnown($0.key) && isKnown($0.value) }
        default: false
        }
    }

    /// Adds an object.
    ///
    /// - Returns: nil for objects of other classes.
    private mutating func add(_ object: Any, depth: Int) throws(ModelFormatError) -> PropertyListNode? {
        guard depth < ObjectArchive.depthLimit else {
            throw ModelFormatError(
                .limitExceeded, "the objects of a value are nested more than \(ObjectArchive.depthLimit) deep")
        }
        count += 1
        guard count <= ObjectArchive.sizeLimit else {
            throw ModelFormatError(.limitExceeded, "a value holds more than \(ObjectArchive.sizeLimit) objects")
        }
        return try addNew(object, depth: depth)
    }

    private mutating func addNew(_ object: Any, depth: Int) throws(ModelFormatError) -> PropertyListNode? {
        switch object {
        case let text as NSMutableString:
            return builder.add(class: "NSMutableString", ["NS.string": .string(text as String)])
        case let text as String: return builder.add(string: text)
        case let number as NSDecimalNumber:
            return builder.add(class: "NSDecimalNumber", KeyedArchiveBuilder.decimal(number.decimalValue))
        case let number as NSNumber: return add(number)
        case let number as Decimal: return builder.add(class: "NSDecimalNumber", KeyedArchiveBuilder.decimal(number))
        case let data as NSMutableData:
            return builder.add(class: "NSMutableData", ["NS.data": .data(data as Data)])
        case let data as Data: return builder.add(.data(data))
        case let date as Date:
            return builder.add(class: "NSDate", ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case let id as UUID: return builder.add(value: .uuid(id))
        case let url as NSURL: return add(url)
        case is NSNull: return builder.add(class: "NSNull", [:])
        case let set as NSOrderedSet: return try add(set, depth)
        case let set as NSSet:
            guard Self.isPlain(set), let members = try all(set.allObjects, depth) else { return nil }
            return builder.add(array: members, class: set is NSMutableSet ? "NSMutableSet" : "NSSet")
        case let items as NSArray:
            guard Self.isPlain(items), let members = try all(items.map { $0 }, depth) else { return nil }
            return builder.add(array: members, class: items is NSMutableArray ? "NSMutableArray" : "NSArray")
        case let entries as NSDictionary: return try add(entries, depth)
        default: return nil
        }
    }

    private mutating func add(_ number: NSNumber) -> PropertyListNode? {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            // Small integers and Booleans have the same type here.
            return number == 0 || number == 1
                ? builder.add(.bool(number.boolValue)) : builder.add(.integer(number.int64Value))
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return builder.add(.real(number.doubleValue))
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): return nil
        default: return builder.add(.integer(number.int64Value))
        }
    }

    private mutating func add(_ url: NSURL) -> PropertyListNode {
        let base = url.baseURL.map { add($0 as NSURL) } ?? KeyedArchiveBuilder.null
        return builder.add(
            class: "NSURL", ["NS.base": base, "NS.relative": builder.add(string: url.relativeString)])
    }

    private mutating func all(_ objects: [Any], _ depth: Int) throws(ModelFormatError) -> [PropertyListNode]? {
        var nodes: [PropertyListNode] = []
        nodes.reserveCapacity(objects.count)
        for object in objects {
            guard let node = try add(object, depth: depth + 1) else { return nil }
            nodes.append(node)
        }
        return nodes
    }

    private mutating func add(_ set: NSOrderedSet, _ depth: Int) throws(ModelFormatError) -> PropertyListNode? {
        guard Self.isPlain(set), let nodes = try all(set.array, depth) else { return nil }
        let fields = nodes.enumerated().map { ("NS.object.\($0.offset)", $0.element) }
        return builder.add(
            class: set is NSMutableOrderedSet ? "NSMutableOrderedSet" : "NSOrderedSet",
            Dictionary(uniqueKeysWithValues: fields))
    }

    private mutating func add(
        _ entries: NSDictionary, _ depth: Int
    ) throws(ModelFormatError) -> PropertyListNode? {
        guard Self.isPlain(entries), let keys = try all(entries.map(\.key), depth),
            let values = try all(entries.map(\.value), depth)
        else { return nil }
        return builder.add(
            class: entries is NSMutableDictionary ? "NSMutableDictionary" : "NSDictionary",
            ["NS.keys": .array(keys), "NS.objects": .array(values)])
    }

    /// Returns whether a collection is not of a subclass, which may have more state than its members.
    private static func isPlain(_ collection: NSObject) -> Bool {
        plainTypes.contains(ObjectIdentifier(type(of: collection)))
    }

    private static let plainTypes = Set(
        [
            NSArray.self, NSMutableArray.self, NSSet.self, NSMutableSet.self, NSOrderedSet.self,
            NSMutableOrderedSet.self,
            NSDictionary.self, NSMutableDictionary.self,
        ].map { (type: AnyClass) in ObjectIdentifier(type) })
}
