import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// The identity of an object: its store, its entity and its key.
///
/// An object that was not saved yet has a temporary ID, which its first save replaces by a permanent one. IDs are immutable,
/// may be passed between threads and contexts, and stay valid without their context. IDs of the same row are equal even if they
/// come from different coordinators or name an ancestor as the entity; a temporary ID never equals the permanent one that
/// replaced it.
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    // Limited to these two fields: a fetch may create hundreds of thousands of IDs.
    final let identity: ObjectIdentity
    /// The primary key; negative for temporary IDs.
    package final let key: Int64

    package init(identity: ObjectIdentity, key: Int64) {
        self.identity = identity
        self.key = key
    }

    /// Creates a temporary ID of no object, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(identity: .temporary(for: .of(RecorderModel.entity)), key: Self.makeTemporaryKey())
    }

    /// The entity of the object.
    open var entity: NSEntityDescription { identity.layout.entity }

    /// True until the object is saved, or ``NSManagedObjectContext/obtainPermanentIDs(for:)`` is called for it.
    open var isTemporaryID: Bool { key < 0 }

    /// The store of the row. nil for objects not saved yet, and once the store is deallocated.
    open var persistentStore: NSPersistentStore? { identity.store }

    /// Returns the ID as a URI: `x-coredata://<store UUID>/<entity>/p<key>`, or `x-coredata:///<entity>/t<text>` for temporary
    /// IDs.
    ///
    /// Only permanent IDs can be converted back, with ``NSPersistentStoreCoordinator/managedObjectID(forURIRepresentation:)``.
    open func uriRepresentation() -> URL {
        guard let url = URL(string: uriText) else { preconditionFailure("\(uriText) is no URL.") }
        return url
    }

    package final var uriText: String {
        let name = ObjectURI.escape(identity.layout.name)
        if key < 0 { return "x-coredata:///\(name)/t\(Self.processUUID)\(-key)" }
        let reference = identity.store?.referenceText(forKey: key, of: identity.layout) ?? String(key)
        return "x-coredata://\(identity.storeUUID)/\(name)/p\(ObjectURI.escape(reference))"
    }

    package final var reference: RowReference { RowReference(entityNumber: identity.layout.number, key: key) }

    private static let processUUID = UUID().uuidString

    // MARK: Temporary keys

    private static let nextTemporaryKey = Atomic<Int64>(1)

    /// Returns the first and highest of `count` negative keys that no other object of this process has; the others follow in
    /// descending order.
    package static func makeTemporaryKeys(count: Int64) -> Int64 {
        -nextTemporaryKey.wrappingAdd(count, ordering: .relaxed).oldValue
    }

    package static func makeTemporaryKey() -> Int64 { makeTemporaryKeys(count: 1) }

    // MARK: NSObject

    /// Returns the ID itself, because IDs are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        if ObjectComparison.isSame(object, self) == true { return true }
        guard let other = ObjectComparison.member(object, as: NSManagedObjectID.self) ?? object as? NSManagedObjectID,
            key == other.key
        else {
            return false
        }
        return key < 0 || identity === other.identity || identity.sharesRows(with: other.identity)
    }

    open override var hash: Int {
        let mixed = key &* Int64(bitPattern: 0x9E37_79B9_7F4A_7C15)
        return key < 0 ? Int(truncatingIfNeeded: mixed) : Int(truncatingIfNeeded: mixed) ^ identity.seed
    }

    open override var description: String {
        "0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)) <\(uriText)>"
    }
}

/// The text form of object IDs.
enum ObjectURI {
    private static let plain: CharacterSet = {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "/;")
        return allowed
    }()

    static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    /// Returns the store UUID, entity name and reference of a permanent ID's URI, or nil for any other text.
    static func parse(_ text: String) -> (storeUUID: String, entity: String, reference: String)? {
        let scheme = "x-coredata://"
        guard text.lowercased().hasPrefix(scheme) else { return nil }
        let parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[2].first == "p", parts[2].count > 1,
            let entity = String(parts[1]).removingPercentEncoding, !entity.isEmpty,
            let reference = String(parts[2].dropFirst()).removingPercentEncoding
        else { return nil }
        return (String(parts[0]), entity, reference)
    }
}

extension NSManagedObject: PredicateIdentifiable {
    /// The object's ID: in predicates an object equals its ID, and objects of the same row in several contexts are equal.
    public var predicateIdentity: AnyHashable { objectID }
}

extension NSManagedObjectID: PredicateOrdered {
    /// Returns the order by primary key, for objects saved in one store and of one hierarchy; nil for others.
    public func predicateOrder(to other: any PredicateOrdered) -> ComparisonResult? {
        guard let other = other as? NSManagedObjectID, key >= 0, other.key >= 0,
            identity === other.identity || identity.sharesRows(with: other.identity)
        else { return nil }
        return key < other.key ? .orderedAscending : key == other.key ? .orderedSame : .orderedDescending
    }

    /// Returns the order by primary key, whatever the store; unsaved objects come last, in the order of creation.
    public func sortOrder(to other: any PredicateOrdered) -> ComparisonResult {
        guard let other = other as? NSManagedObjectID, key != other.key else { return .orderedSame }
        guard (key < 0) == (other.key < 0) else { return key < 0 ? .orderedDescending : .orderedAscending }
        // Temporary keys descend.
        return key.magnitude < other.key.magnitude ? .orderedAscending : .orderedDescending
    }
}
