import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// Assigns integer keys to the reference objects of a custom store.
///
/// References are compared by their text, so a store must not use the number 1 and the text "1" for different rows.
final class ReferenceKeys: @unchecked Sendable {
    private struct Entry {
        let reference: Any
        var entityNumber: Int
    }

    private struct Hierarchy {
        var keys: [String: Int64] = [:]
        var entries: [Entry] = []
    }

    private let lock = Lock()
    private var hierarchies: [Int: Hierarchy] = [:]

    /// Returns the key of a row. Assigns one on the first call for the row.
    func key(for reference: Any, of layout: EntityLayout) -> Int64 {
        let text = Self.text(of: reference)
        return lock.withLock {
            let root = layout.root.number
            if let key = hierarchies[root]?.keys[text] {
                // An ID may have been created for a superentity first.
                let known = hierarchies[root]?.entries[Int(key) - 1].entityNumber ?? 0
                if known != layout.number, layout.familyNumbers.count < layout.root.familyNumbers.count {
                    hierarchies[root]?.entries[Int(key) - 1].entityNumber = layout.number
                }
                return key
            }
            hierarchies[root, default: Hierarchy()].entries.append(
                Entry(reference: reference, entityNumber: layout.number))
            let key = Int64(hierarchies[root]?.entries.count ?? 0)
            hierarchies[root]?.keys[text] = key
            return key
        }
    }

    func reference(for key: Int64, of layout: EntityLayout) -> Any? { entry(key, layout)?.reference }

    /// Returns the number of the row's own entity.
    func entityNumber(of key: Int64, of layout: EntityLayout) -> Int? { entry(key, layout)?.entityNumber }

    /// Returns the key for the text of a reference, which is read as a number if the store's references are numbers.
    func key(forText text: String, of layout: EntityLayout) -> Int64 {
        let usesNumbers = lock.withLock { hierarchies[layout.root.number]?.entries.first?.reference is NSNumber }
        if usesNumbers, let number = Int64(text) { return key(for: NSNumber(value: number), of: layout) }
        return key(for: text, of: layout)
    }

    static func text(of reference: Any) -> String { "\(reference)" }

    private func entry(_ key: Int64, _ layout: EntityLayout) -> Entry? {
        lock.withLock {
            guard let entries = hierarchies[layout.root.number]?.entries, key > 0, key <= Int64(entries.count) else {
                return nil
            }
            return entries[Int(key) - 1]
        }
    }
}

extension ReferenceKeys {
    /// Returns the ID of the object with a reference. Traps for entities that are not in the store's model.
    func objectID(
        for reference: Any, of entity: NSEntityDescription, in store: NSPersistentStore
    ) -> NSManagedObjectID {
        guard let layout = entity.name.flatMap({ store.layouts?.byName[$0] }) else {
            fatalError("The entity \(entity.name ?? "?") is not in the model of the store \(store).")
        }
        return NSManagedObjectID(identity: store.identity(for: layout), key: key(for: reference, of: layout))
    }

    /// Returns the reference of an ID. Traps for IDs of other stores.
    func reference(of objectID: NSManagedObjectID, in store: NSPersistentStore) -> Any {
        guard objectID.identity.store === store,
            let reference = reference(for: objectID.key, of: objectID.identity.layout)
        else { fatalError("The object ID \(objectID) does not belong to the store \(store).") }
        return reference
    }
}
