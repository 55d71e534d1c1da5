import CoreDataRowStorage
import Foundation
import ModelFormat

/// Reads and writes keyed archives, failing with errors where Foundation would end the program.
///
/// Values of Foundation's plain classes are read and written here; only archives that also hold others reach Foundation,
/// once they have been looked through.
enum KeyedArchive {
    /// An archive of one object.
    ///
    /// Throws `NSCoreDataError` for objects that cannot be archived.
    static func data(of object: Any, secure: Bool) throws -> Data {
        do {
            if let data = try ObjectArchiver.data(of: object) { return data }
        } catch {
            throw notArchivable(object, error.message)
        }
        guard let root = archivable(object) else { throw notArchivable(object) }
        guard !holdsDecimal(root, depth: 0) else {
            throw notArchivable(object, "Foundation cannot archive an NSDecimalNumber beside objects of other classes.")
        }
        let data = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: secure)
        do {
            // What could not be read again would be lost.
            _ = try ObjectArchive(data) { classNamed($0) != nil }
        } catch {
            throw notArchivable(object, error.message)
        }
        return data
    }

    /// The object of an archive. `classes` limits what it may contain; nil allows all classes.
    ///
    /// Throws `CocoaError.coderReadCorrupt` for damaged archives and classes that are not allowed.
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
        let object =
            classes.map { unarchiver.decodeObject(of: $0, forKey: NSKeyedArchiveRootObjectKey) }
            ?? unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return object
    }

    // MARK: Classes

    /// Off Apple the unarchiver traps on a class that is not allowed.
    private static func check(_ archive: ObjectArchive, allowing classes: [AnyClass]) throws {
        // Archives know Foundation's classes without their module.
        let names = classes.map { type in
            let name = String(reflecting: type)
            return name.hasPrefix("Foundation.") ? String(name.dropFirst("Foundation.".count)) : name
        }
        let known = archive.knownNames.sorted().first { name in
            ObjectArchive.knownClasses[name]?.contains(where: names.contains) != true
        }
        if let known { throw notAllowed(known) }
        for lineage in archive.foreignClasses {
            guard let type = resolved(lineage), isSecure(type), classes.contains(where: { inherits(type, $0) }) else {
                throw notAllowed(lineage.first ?? "?")
            }
        }
    }

    private static func classNamed(_ name: String) -> AnyClass? {
        NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
    }

    /// The class that Foundation would make an object of: the nearest that the program has.
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

    private static func notAllowed(_ name: String) -> NSError {
        CoreDataError.make(
            CocoaError.coderReadCorrupt.rawValue,
            description: "The archive holds an object of the class \(name), which is not allowed.",
            advice: "Register a subclass of NSSecureUnarchiveFromDataTransformer that allows the class.")
    }

    private static func notArchivable(_ object: Any, _ reason: String? = nil) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "A value of type \(type(of: object)) cannot be archived.", reason: reason,
            advice: "Let the class conform to NSSecureCoding, or use a value transformer of your own.")
    }

    // MARK: Objects

    /// The object as one of Foundation's classes, which alone can be archived.
    private static func archivable(_ object: Any) -> Any? {
        switch object {
        case let values as [Any]: NSArray(array: values)
        case let values as [AnyHashable: Any]: NSDictionary(dictionary: values)
        case let values as Set<AnyHashable>: NSSet(set: values)
        case is String, is Data, is Date, is URL, is UUID, is NSNumber, is NSCoding: object
        default: nil
        }
    }

    /// Whether a decimal number lies in collections: Foundation's archiver recurses without end when it hashes one.
    private static func holdsDecimal(_ object: Any, depth: Int) -> Bool {
        guard depth < ObjectArchive.depthLimit else { return false }
        switch object {
        case is NSDecimalNumber, is Decimal: return true
        case let values as NSArray: return values.contains { holdsDecimal($0, depth: depth + 1) }
        case let values as NSSet: return values.contains { holdsDecimal($0, depth: depth + 1) }
        case let values as NSDictionary:
            return values.contains {
                holdsDecimal($0.key, depth: depth + 1) || holdsDecimal($0.value, depth: depth + 1)
            }
        default: return false
        }
    }
}
