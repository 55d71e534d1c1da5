import Foundation

/// Reads and writes keyed archives, failing with errors where Foundation would end the program.
enum KeyedArchive {
    /// An archive of one object.
    ///
    /// Throws `NSCoreDataError` for objects that cannot be archived.
    static func data(of object: Any, secure: Bool) throws -> Data {
        guard let root = archivable(object) else {
            throw CoreDataError.make(
                NSCoreDataError, description: "A value of type \(type(of: object)) cannot be archived.",
                advice: "Let the class conform to NSSecureCoding, or use a value transformer of your own.")
        }
        return try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: secure)
    }

    /// The object of an archive. `classes` limits what it may contain; nil allows all classes.
    ///
    /// Throws `CocoaError.coderReadCorrupt` for damaged archives and classes that are not allowed.
    static func object(from data: Data, allowing classes: [AnyClass]?) throws -> Any? {
        if let classes, let intruder = try classNames(in: data).first(where: { !allows($0, classes) }) {
            // Off Apple the unarchiver traps on a class that is not allowed, so archives are looked through first.
            throw CoreDataError.make(
                CocoaError.coderReadCorrupt.rawValue,
                description: "The archive holds an object of the class "
                    + "\(intruder.first ?? "?"), which is not allowed.",
                advice: "Register a subclass of NSSecureUnarchiveFromDataTransformer that allows the class.")
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

    /// For each class the archive mentions, its name and those of its superclasses.
    private static func classNames(in data: Data) throws -> [[String]] {
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        guard let objects = (list as? [String: Any])?["$objects"] as? [Any] else { return [] }
        return objects.compactMap { ($0 as? [String: Any])?["$classes"] as? [String] }
    }

    private static func allows(_ lineage: [String], _ classes: [AnyClass]) -> Bool {
        classes.contains { allowed in
            // Archives know Foundation's classes without their module.
            let name = String(reflecting: allowed)
            return lineage.contains(name.hasPrefix("Foundation.") ? String(name.dropFirst("Foundation.".count)) : name)
        }
    }

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
}
