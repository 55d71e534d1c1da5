import Foundation

open class NSManagedObject: NSObject, NSFetchRequestResult {
    public private(set) var entity: NSEntityDescription
    public weak var managedObjectContext: NSManagedObjectContext?
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        self.entity = entity
        managedObjectContext = context
        super.init()
    }
    public required convenience init(_entity entity: NSEntityDescription, context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }
    open var objectID: NSManagedObjectID { fatalError() }
    open func value(forKey key: String) -> Any? { nil }
    open func primitiveValue(forKey key: String) -> Any? { nil }
    open func setValue(_ value: Any?, forKey key: String) {}
    open func changedValues() -> [String: Any] { [:] }
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { [:] }
    open var isInserted: Bool { false }
    open var isUpdated: Bool { false }
    open var isDeleted: Bool { false }
    open var isFault: Bool { false }
}
