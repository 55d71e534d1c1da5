import Foundation
import PredicateFormat

/// The entities of fetch requests over history. Their attributes have the names of the properties of
/// `NSPersistentHistoryTransaction` and `NSPersistentHistoryChange`.
enum HistoryEntities {
    /// The model of these entities. Immutable.
    private static let model: NSManagedObjectModel = {
        let model = NSManagedObjectModel()
        model.entities = [
            entity(
                transactionName,
                [
                    ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                    ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                    ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
                    ("token", .integer64AttributeType), ("transactionNumber", .integer64AttributeType),
                ]),
            entity(
                changeName,
                [
                    ("changeID", .integer64AttributeType), ("changeType", .integer16AttributeType),
                    ("changedEntity", .stringAttributeType), ("changedObjectID", .objectIDAttributeType),
                    ("tombstone", .binaryDataAttributeType), ("updatedProperties", .binaryDataAttributeType),
                ]),
        ]
        model.freeze()
        return model
    }()

    static let transactionName = "TRANSACTION"
    static let changeName = "CHANGE"

    static func entity(named name: String) -> NSEntityDescription? { model.entitiesByName[name] }

    private static func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    static func request(named name: String) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity(named: name)
        return request
    }
}

extension NSPersistentHistoryTransaction {
    /// The entity of transactions, for a request passed to ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    public class var entityDescription: NSEntityDescription? {
        HistoryEntities.entity(named: HistoryEntities.transactionName)
    }

    /// Returns ``entityDescription``, which all contexts share off Apple's platforms.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A request for all transactions; set a predicate over properties of this class.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(named: HistoryEntities.transactionName)
    }
}

extension NSPersistentHistoryChange {
    /// The entity of changes, for a request passed to ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    public class var entityDescription: NSEntityDescription? {
        HistoryEntities.entity(named: HistoryEntities.changeName)
    }

    /// Returns ``entityDescription``, which all contexts share off Apple's platforms.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A request for all changes; set a predicate over properties of this class. `changedEntity` is the changed object's
    /// entity.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(named: HistoryEntities.changeName)
    }
}

extension NSPersistentHistoryTransaction: KeyValueCoding {
    /// Returns a property by name, for predicates. `token` is the transaction's number: requests replace the tokens it is
    /// compared with by the numbers of their transactions.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "author": author
        case "bundleID": bundleID
        case "contextName": contextName
        case "processID": processID
        case "storeID": storeID
        case "timestamp": timestamp
        case "transactionNumber", "token": transactionNumber
        case "changes": changes
        default: nil
        }
    }
}

extension NSPersistentHistoryChange: KeyValueCoding {
    /// Returns a property by name, for predicates.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": changeID
        case "changeType": changeType.rawValue
        case "changedEntity": changedObjectID.entity
        case "changedObjectID": changedObjectID
        case "tombstone": tombstone
        case "updatedProperties": updatedProperties
        case "transaction": transaction
        default: nil
        }
    }
}
