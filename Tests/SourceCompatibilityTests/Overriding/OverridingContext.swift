import CoreData
import Foundation

/// A context of a program that overrides all that Apple's class lets it override.
class OverridingContext: NSManagedObjectContext, @unchecked Sendable {
    var calls: [String] = []
    private func note(_ name: String = #function) { calls.append(name) }

    override init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        super.init(concurrencyType: ct)
    }

    override func perform(_ block: @escaping () -> Void) {
        note()
        super.perform(block)
    }
    override func performAndWait(_ block: () -> Void) {
        note()
        super.performAndWait(block)
    }
    override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
        note()
        return try super.fetch(request)
    }
    override func count(for request: NSFetchRequest<NSFetchRequestResult>) throws -> Int {
        note()
        return try super.count(for: request)
    }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        note()
        return try super.execute(request)
    }
    override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        note()
        return super.registeredObject(for: objectID)
    }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        note()
        return super.object(with: objectID)
    }
    override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        note()
        return try super.existingObject(with: objectID)
    }
    override func insert(_ object: NSManagedObject) {
        note()
        super.insert(object)
    }
    override func delete(_ object: NSManagedObject) {
        note()
        super.delete(object)
    }
    override func assign(_ object: Any, to store: NSPersistentStore) {
        note()
        super.assign(object, to: store)
    }
    override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        note()
        try super.obtainPermanentIDs(for: objects)
    }
    override func detectConflicts(for object: NSManagedObject) {
        note()
        super.detectConflicts(for: object)
    }
    override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        note()
        super.refresh(object, mergeChanges: flag)
    }
    override func refreshAllObjects() {
        note()
        super.refreshAllObjects()
    }
    override func processPendingChanges() {
        note()
        super.processPendingChanges()
    }
    override func save() throws {
        note()
        try super.save()
    }
    override func rollback() {
        note()
        super.rollback()
    }
    override func reset() {
        note()
        super.reset()
    }
    override func undo() {
        note()
        super.undo()
    }
    override func redo() {
        note()
        super.redo()
    }
    override func mergeChanges(fromContextDidSave notification: Notification) {
        note()
        super.mergeChanges(fromContextDidSave: notification)
    }
    override class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        super.mergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts)
    }
    override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        note()
        try super.setQueryGenerationFrom(generation)
    }
    override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        note()
        return super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property)
    }
    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?, context: UnsafeMutableRawPointer?
    ) {}

    override var insertedObjects: Set<NSManagedObject> { super.insertedObjects }
    override var updatedObjects: Set<NSManagedObject> { super.updatedObjects }
    override var deletedObjects: Set<NSManagedObject> { super.deletedObjects }
    override var registeredObjects: Set<NSManagedObject> { super.registeredObjects }
    override var hasChanges: Bool { super.hasChanges }
    override var concurrencyType: NSManagedObjectContextConcurrencyType { super.concurrencyType }
    override var userInfo: NSMutableDictionary { super.userInfo }
    override var queryGenerationToken: NSQueryGenerationToken? { super.queryGenerationToken }
    override var name: String? {
        get { super.name ?? "unnamed" }
        set { super.name = newValue }
    }
    override var parent: NSManagedObjectContext? {
        get { super.parent }
        set { super.parent = newValue }
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { super.persistentStoreCoordinator }
        set { super.persistentStoreCoordinator = newValue }
    }
    override var mergePolicy: Any {
        get { super.mergePolicy }
        set { super.mergePolicy = newValue }
    }
    override var automaticallyMergesChangesFromParent: Bool {
        get { super.automaticallyMergesChangesFromParent }
        set { super.automaticallyMergesChangesFromParent = newValue }
    }
    override var undoManager: UndoManager? {
        get { super.undoManager }
        set { super.undoManager = newValue }
    }
    override var transactionAuthor: String? {
        get { super.transactionAuthor }
        set { super.transactionAuthor = newValue }
    }
}
