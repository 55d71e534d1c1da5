import CoreData
import Foundation

/// A managed object of a program that overrides all that Apple's class lets it override.
class Station: NSManagedObject {
    nonisolated(unsafe) static var model: NSManagedObjectModel?

    override class func entity() -> NSEntityDescription { model!.entitiesByName["Station"]! }
    override class func fetchRequest() -> NSFetchRequest<NSFetchRequestResult> {
        NSFetchRequest<NSFetchRequestResult>(entityName: "Station")
    }
    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    override var managedObjectContext: NSManagedObjectContext? { super.managedObjectContext }
    override var entity: NSEntityDescription { super.entity }
    override var objectID: NSManagedObjectID { super.objectID }
    override var isInserted: Bool { super.isInserted }
    override var isUpdated: Bool { super.isUpdated }
    override var isDeleted: Bool { super.isDeleted }
    override var hasChanges: Bool { super.hasChanges }
    override var hasPersistentChangedValues: Bool { super.hasPersistentChangedValues }
    override var isFault: Bool { super.isFault }
    override var faultingState: Int { super.faultingState }
    override var description: String { "a station" }

    override func hasFault(forRelationshipNamed key: String) -> Bool { super.hasFault(forRelationshipNamed: key) }
    override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        super.objectIDs(forRelationshipNamed: key)
    }
    override func value(forKey key: String) -> Any? { key == "title" ? "computed" : super.value(forKey: key) }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKeyPath keyPath: String) -> Any? { super.value(forKeyPath: keyPath) }
    override func setValue(_ value: Any?, forKeyPath keyPath: String) { super.setValue(value, forKeyPath: keyPath) }
    override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
    override func setValue(_ value: Any?, forUndefinedKey key: String) {}
    override func setNilValueForKey(_ key: String) {}
    override func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        super.dictionaryWithValues(forKeys: keys)
    }
    override func setValuesForKeys(_ keyedValues: [String: Any]) { super.setValuesForKeys(keyedValues) }
    override func mutableSetValue(forKey key: String) -> NSMutableSet { super.mutableSetValue(forKey: key) }
    override func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        super.mutableOrderedSetValue(forKey: key)
    }
    override func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        super.mutableOrderedSetValue(forKeyPath: keyPath)
    }
    override func primitiveValue(forKey key: String) -> Any? { super.primitiveValue(forKey: key) }
    override func setPrimitiveValue(_ value: Any?, forKey key: String) { super.setPrimitiveValue(value, forKey: key) }
    override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
    override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
    override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
    override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
    override func changedValues() -> [String: Any] { super.changedValues() }
    override func changedValuesForCurrentEvent() -> [String: Any] { super.changedValuesForCurrentEvent() }
    override func committedValues(forKeys keys: [String]?) -> [String: Any] { super.committedValues(forKeys: keys) }
    override func awakeFromInsert() { super.awakeFromInsert() }
    override func awakeFromFetch() { super.awakeFromFetch() }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { super.awake(fromSnapshotEvents: flags) }
    override func prepareForDeletion() { super.prepareForDeletion() }
    override func willSave() { super.willSave() }
    override func didSave() { super.didSave() }
    override func willTurnIntoFault() { super.willTurnIntoFault() }
    override func didTurnIntoFault() { super.didTurnIntoFault() }
    override func validateForInsert() throws { try super.validateForInsert() }
    override func validateForUpdate() throws { try super.validateForUpdate() }
    override func validateForDelete() throws { try super.validateForDelete() }
}

/// A managed object class with names of its own where a program may want them.
class Stop: NSManagedObject {
    subscript(key: String) -> Any? {
        get { "own \(key)" }
        set { setValue(newValue, forKey: key) }
    }
    var key: String { "key" }
    var keys: [String] { entity.attributesByName.keys.sorted() }
    func predicateValue(forKey key: String) -> Any? { nil }
    static func propertyName(of keyPath: AnyKeyPath) -> String { "mine" }
    var context: NSManagedObjectContext? { managedObjectContext }
    var layout: String { "grid" }
    var row: Int { 1 }
    var extra: String? { nil }
    var identifier: String { "id" }
}

class OverridingCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    var calls: [String] = []

    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        calls.append("add")
        return try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }
    override func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, Error?) -> Void
    ) { super.addPersistentStore(with: storeDescription, completionHandler: block) }
    override func remove(_ store: NSPersistentStore) throws {
        calls.append("remove")
        try super.remove(store)
    }
    override func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws { try super.destroyPersistentStore(at: url, ofType: storeType, options: options) }
    override func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {}
    override func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore { store }
    override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { super.setURL(url, for: store) }
    override func url(for store: NSPersistentStore) -> URL { super.url(for: store) }
    override func metadata(for store: NSPersistentStore) -> [String: Any] { super.metadata(for: store) }
    override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        super.setMetadata(metadata, for: store)
    }
    override class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try super.metadataForPersistentStore(ofType: storeType, at: url, options: options)
    }
    override class var registeredStoreTypes: [String: AnyClass] { super.registeredStoreTypes }
    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        try super.execute(request, with: context)
    }
    override func perform(_ block: @escaping () -> Void) { super.perform(block) }
    override func performAndWait(_ block: () -> Void) { super.performAndWait(block) }
    override func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        super.currentPersistentHistoryToken(fromStores: stores)
    }
    override var persistentStores: [NSPersistentStore] { super.persistentStores }
    override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        super.managedObjectID(forURIRepresentation: url)
    }
}

class OverridingContainer: NSPersistentContainer, @unchecked Sendable {
    static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Overriding")
    override class func defaultDirectoryURL() -> URL { folder }
    override func newBackgroundContext() -> NSManagedObjectContext {
        let context = OverridingContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }
    override func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        super.performBackgroundTask(block)
    }
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, Error?) -> Void
    ) { super.loadPersistentStores(completionHandler: block) }
    override var viewContext: NSManagedObjectContext { super.viewContext }
    override var name: String { super.name }
}

class FixedResultsController: NSFetchedResultsController<Station> {
    override var fetchedObjects: [Station]? { [] }
    override func object(at indexPath: IndexPath) -> Station { super.object(at: indexPath) }
    override func indexPath(forObject object: Station) -> IndexPath? { IndexPath(item: 0, section: 0) }
    override func performFetch() throws {}
    override var managedObjectContext: NSManagedObjectContext { super.managedObjectContext }
}

class MockTransaction: NSPersistentHistoryTransaction, @unchecked Sendable {
    override var author: String? { "mock" }
    override var changes: [NSPersistentHistoryChange]? { [MockChange()] }
}
class MockChange: NSPersistentHistoryChange, @unchecked Sendable {
    override var changeType: NSPersistentHistoryChangeType { .delete }
}
class MockConflict: NSConstraintConflict {
    override var constraint: [String] { ["name"] }
}
class MockResult: NSBatchDeleteResult {
    override var result: Any? { 3 }
}

extension NSPersistentStoreCoordinator {
    static func inMemory(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        let coordinator = self.init(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        return coordinator
    }
}

extension NSManagedObjectContext {
    static func background() -> NSManagedObjectContext { self.init(concurrencyType: .privateQueueConcurrencyType) }
}

extension NSAttributeDescription {
    static func make(_ name: String) -> NSAttributeDescription {
        let attribute = self.init()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        return attribute
    }
}

protocol Listing { var listed: Int { get } }
extension NSSet: Listing { var listed: Int { count } }
