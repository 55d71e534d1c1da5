import CoreData

/// A source of the values of one object's property, or of a property reached through to-one relationships.
final class PropertySource<Value: Equatable>: DistinctSource<Value> {
    private let object: NSManagedObject
    private let path: KeyPathName.Outcome
    private let read: () -> Value
    private var names: [String] = []
    /// The objects between the first one and the property, retained so that the context reports their changes.
    private var links: [NSManagedObject] = []
    private var hasEnded = false

    /// - Parameters:
    ///   - object: the object that the path begins at.
    ///   - path: the name of the property, after those of relationships.
    ///   - read: returns the present value.
    init(of object: NSManagedObject, at path: KeyPathName.Outcome, _ read: @escaping () -> Value) {
        (self.object, self.path, self.read) = (object, path, read)
    }

    override func prepare(in context: NSManagedObjectContext) throws {
        names = try path.get().split(separator: ".").map(String.init)
        guard let first = names.first, object.entity.propertiesByName[first] != nil else {
            throw MagicalRecordError(
                .unknownKey, "The entity has no property \"\(names.first ?? "self")\" to observe.",
                advice: "Give the key path of an @NSManaged property.", entity: object.entity.name,
                key: names.first)
        }
    }

    override func noteChanges(_ userInfo: [AnyHashable: Any]) -> Bool {
        let hasReset = userInfo[NSInvalidatedAllObjectsKey] != nil
        return note(
            hasReset || ChangedObjects.contain(object, in: userInfo)
                || links.contains { ChangedObjects.contain($0, in: userInfo) })
    }

    /// Notes a save, which completes deletions, and replaces temporary IDs.
    override func noteSave() -> Bool { note(true) }

    override var isOver: Bool { hasEnded }

    override func look(in context: NSManagedObjectContext) throws -> Value? {
        hasEnded = try !isPresent(in: context)
        // A deletion that is not saved can be undone.
        if hasEnded || object.isDeleted { return nil }
        links = []
        for name in names.dropLast() {
            guard let next = (links.last ?? object).value(forKey: name) as? NSManagedObject else { break }
            links.append(next)
        }
        return read()
    }

    /// Returns false if the object no longer belongs to the context, or if its row was deleted elsewhere.
    private func isPresent(in context: NSManagedObjectContext) throws -> Bool {
        guard object.managedObjectContext === context else { return false }
        if object.isDeleted { return context.deletedObjects.contains(object) }
        guard object.isFault else { return true }
        do {
            _ = try context.existingObject(with: object.objectID)
            return true
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            return false
        }
    }
}
