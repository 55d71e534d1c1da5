import CoreDataRowStorage
import Foundation
import ModelFormat

/// Reads and writes keyed archives, throwing errors where Foundation would stop the program.
///
/// Values of Foundation's plain classes are read and written here; only archives with other objects are passed to Foundation,
/// after they have been checked.
enum KeyedArchive {
    /// Returns an archive of an object.
    ///
    /// - Parameter classes: The allowed classes of the object and of elements of collections, which must conform to
    ///   `NSSecureCoding`; nil allows all classes.
    /// - Throws: `NSCoreDataError` for objects that cannot be archived, ``ClassNotAllowed`` for classes that are not allowed.
    static func data(of object: Any, allowing classes: [AnyClass]?) throws -> Data {
        do {
            if let (data, archive) = try ObjectArchiver.archive(of: object) {
                if let classes { try check(archive, allowing: classes) }
                return data
            }
        } catch let error as ModelFormatError {
            throw notArchivable(object, error.message)
        }
        guard let root = archivable(object) else { throw notArchivable(object) }
        if let obstacle = obstacle(in: root, depth: 0) {
            throw notArchivable(object, obstacle.reason, advice: obstacle.advice)
        }
        // With secure coding required the archiver stops the program for other classes, so the finished archive is checked
        // instead.
        let data = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: false)
        do {
            // An archive that cannot be read again must not be written.
            let archive = try ObjectArchive(data) { classNamed($0) != nil }
            if let classes { try check(archive, allowing: classes) }
        } catch let error as ModelFormatError {
            throw notArchivable(object, error.message)
        }
        return data
    }

    /// Returns the object in an archive.
    ///
    /// - Parameter classes: The allowed classes of the object and of elements of collections; nil allows all classes.
    /// - Throws: `CocoaError.coderReadCorrupt` for damaged archives, ``ClassNotAllowed`` for classes that are not allowed.
    static func object(from data: Data, allowing classes: [AnyClass]?) throws -> Any? {
        let archive: ObjectArchive
        do {
            archive = try ObjectArchive(data) { classNamed($0) != nil }
            if let classes { try check(archive, allowing: classes) }
            if archive.isKnown { return try archive.object() }
        } catch let error as ModelFormatError {
            throw CoreDataError.make(
                CocoaError.coderReadCorrupt.rawValue, description: "The archive cannot be read.", reason: error.message)
        }
        for lineage in archive.foreignClasses where resolved(lineage) == nil {
            throw CoreDataError.make(
                CocoaError.coderReadCorrupt.rawValue, description: "The archive cannot be read.",
                reason: "There is no class \(lineage.first ?? "") that can be decoded.",
                advice:
                    "Let the class conform to NSSecureCoding, or name it with NSKeyedUnarchiver.setClass(_:forClassName:)."
            )
        }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = classes != nil
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        // The top-level classes have been checked. Objects of the program may contain others, and an untyped
        // `decodeObject(forKey:)` in their `init(coder:)` stops the program for a class that is not in this list.
        let held =
            archive.knownNames.compactMap(classNamed) + archive.foreignClasses.compactMap { resolved($0) as? AnyClass }
        let object =
            classes.map { unarchiver.decodeObject(of: $0 + held, forKey: NSKeyedArchiveRootObjectKey) }
            ?? unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return object
    }

    // MARK: Classes

    /// Throws for classes that are not allowed, for which the unarchiver traps off Apple's platforms.
    private static func check(_ archive: ObjectArchive, allowing classes: [AnyClass]) throws {
        // Archives name Foundation's classes without the module.
        let names = classes.map { type in
            let name = String(reflecting: type)
            return name.hasPrefix("Foundation.") ? String(name.dropFirst("Foundation.".count)) : name
        }
        let outer = archive.outerClasses
        let known = outer.known.sorted().first { name in
            ObjectArchive.knownClasses[name]?.contains(where: names.contains) != true
        }
        if let known, !names.contains("NSObject") { throw ClassNotAllowed(name: known) }
        for lineage in archive.foreignClasses {
            guard let type = resolved(lineage), isSecure(type) else {
                throw ClassNotAllowed(name: lineage.first ?? "?", isSecure: false)
            }
        }
        for lineage in outer.foreign {
            guard let type = resolved(lineage), classes.contains(where: { inherits(type, $0) }) else {
                throw ClassNotAllowed(name: lineage.first ?? "?")
            }
        }
    }

    private static func classNamed(_ name: String) -> AnyClass? {
        NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
    }

    /// Returns the class that Foundation would instantiate: the first one of the lineage that the program has.
    private static func resolved(_ lineage: [String]) -> (any NSCoding.Type)? {
        lineage.lazy.compactMap(classNamed).first as? any NSCoding.Type
    }

    private static func isSecure(_ type: any NSCoding.Type) -> Bool {
        (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true
    }

    private static func inherits(_ type: any NSCoding.Type, _ ancestor: AnyClass) -> Bool {
        (type as? NSObject.Type)?.isSubclass(of: ancestor) == true
    }

    // MARK: Errors

    private static func notArchivable(_ object: Any, _ reason: String? = nil, advice: String? = nil) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "A value of type \(type(of: object)) cannot be archived.", reason: reason,
            advice: advice
                ?? "Let the class conform to NSSecureCoding, or use a value transformer of your own.")
    }

    // MARK: Objects

    /// Returns the object as one of Foundation's classes, which can be archived.
    private static func archivable(_ object: Any) -> Any? {
        switch object {
        case let values as [Any]: NSArray(array: values)
        case let values as [AnyHashable: Any]: NSDictionary(dictionary: values)
        case let values as Set<AnyHashable>: NSSet(set: values)
        case is String, is Data, is Date, is URL, is UUID, is NSNumber, is NSCoding: object
        default: nil
        }
    }

    /// Why archiving an object with Foundation would stop the program, and a special remedy.
    private typealias Obstacle = (reason: String, advice: String?)

    /// Returns the obstacle to archiving the object with Foundation; nil if there is none.
    private static func obstacle(in object: Any, depth: Int) -> Obstacle? {
        guard depth < ObjectArchive.depthLimit else { return nil }
        func first(_ members: some Sequence) -> Obstacle? {
            members.lazy.compactMap { obstacle(in: $0, depth: depth + 1) }.first
        }
        switch object {
        case is NSDecimalNumber, is Decimal:
            // The archiver recurses infinitely when it hashes one.
            return ("Foundation cannot archive an NSDecimalNumber beside objects of other classes.", nil)
        case let values as NSArray: return first(values)
        case let values as NSSet: return first(values)
        case let values as NSOrderedSet: return first(values.array)
        case let values as NSDictionary: return first(values.map(\.key)) ?? first(values.map(\.value))
        case is String, is Data, is Date, is URL, is UUID, is NSNumber: return nil
        case let object as any NSCoding: return obstacle(inClassOf: object)
        default: return ("It holds a value of type \(type(of: object)), which does not conform to NSCoding.", nil)
        }
    }

    /// Returns the obstacle if the object's class or an ancestor is nested, private or generic: an archive contains their names,
    /// and `NSStringFromClass` stops the program for a name that is not a module and a type.
    private static func obstacle(inClassOf object: any NSCoding) -> Obstacle? {
        var next: AnyClass? = (object as? NSObject)?.classForKeyedArchiver ?? type(of: object) as? AnyClass
        while let type = next {
            guard String(reflecting: type).split(separator: ".").count == 2 else {
                return (
                    "Foundation archives no class that is nested, private or generic, as \(type) is.",
                    "Declare \(type) outside of other types, neither private nor generic."
                )
            }
            next = _getSuperclass(type)
        }
        return nil
    }
}

/// The error for an object of a class that is not allowed in an archive.
struct ClassNotAllowed: Error {
    /// The class's name, with its module if it is declared by the program.
    let name: String
    /// True if the class conforms to `NSSecureCoding`, so that it can be allowed.
    var isSecure = true

    /// The class's name without its module.
    var shortName: String { name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name }
}
