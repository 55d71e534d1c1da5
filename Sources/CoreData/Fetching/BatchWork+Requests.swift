import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

// Conversion of batch requests for stores, and of their results.

extension BatchWork {
    /// Creates the work of a batch request; nil for other requests.
    ///
    /// - Throws: `NSCoreDataError` for an entity that the store's model does not have.
    init?(_ request: NSPersistentStoreRequest, _ layouts: ModelLayouts, for origin: RequestOrigin) throws {
        switch request {
        case let insert as NSBatchInsertRequest:
            let layout = try layouts.layout(insert.target)
            let rule = BatchConflictRule(origin.mergePolicy.mergeType)
            self.init(.insert(BatchRows(insert, layout), layout, rule))
            wantsRows = insert.resultType == .objectIDs
        case let update as NSBatchUpdateRequest:
            var fetch = StoreFetch(layout: try layouts.layout(update.target))
            fetch.predicate = update.predicate
            fetch.includesSubentities = update.includesSubentities
            self.init(.update(fetch, (update.propertiesToUpdate ?? [:]).map(BatchAssignment.init)))
            wantsRows = update.resultType == .updatedObjectIDsResultType
        case let delete as NSBatchDeleteRequest:
            let settings = delete.fetchRequest.settings
            var target = BatchEntity(name: settings.entityName ?? "")
            target.entity = settings.entity
            var fetch = StoreFetch(layout: try layouts.layout(target))
            fetch.predicate = settings.predicate
            fetch.sortDescriptors = settings.sortDescriptors ?? []
            fetch.limit = max(0, settings.fetchLimit)
            fetch.offset = max(0, settings.fetchOffset)
            fetch.includesSubentities = settings.includesSubentities
            self.init(.delete(fetch))
            wantsRows = delete.resultType == .resultTypeObjectIDs
        default: return nil
        }
        (author, contextName) = (origin.author, origin.contextName)
    }
}

extension ModelLayouts {
    fileprivate func layout(_ target: BatchEntity) throws -> EntityLayout {
        let name = target.entity?.name ?? target.name
        guard let layout = byName[name] else {
            throw UnsupportedQuery.make("could not locate an entity named '\(name)' in this model")
        }
        return layout
    }
}

extension BatchConflictRule {
    fileprivate init(_ policy: NSMergePolicyType) {
        switch policy {
        case .errorMergePolicyType: self = .fail
        case .overwriteMergePolicyType: self = .overwrite
        case .mergeByPropertyObjectTrumpMergePolicyType: self = .overwriteGiven
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: self = .keepStored
        }
    }
}

extension BatchRows {
    fileprivate init(_ request: NSBatchInsertRequest, _ layout: EntityLayout) {
        if let values = request.objectsToInsert {
            self = .values(values)
        } else if let handler = request.dictionaryHandler {
            self = .filled(handler)
        } else if let handler = request.managedObjectHandler {
            let entity = layout.entity
            let objectClass = entity.managedObjectClass
            self = .objects {
                let object = objectClass.make(.entity(entity, nil))
                if handler(object) { return nil }
                object.realise()
                return object
            }
        } else {
            self = .values([])
        }
    }
}

extension NSManagedObject: BatchObject {
    package final var batchRow: UnsafeMutableRawPointer? { _row }
    package final func batchValue(_ attribute: String) -> Any? { value(forKey: attribute) }
}

extension BatchAssignment {
    fileprivate init(_ property: AnyHashable, _ value: Any) {
        let name = (property.base as? NSPropertyDescription)?.path ?? (property.base as? String) ?? "\(property.base)"
        guard let expression = (value as? ExpressionObject)?.node else {
            self.init(name: name, value: .constant(OptionalContents.unwrapped(value) ?? NSNull()))
            return
        }
        if case .constant(let value) = expression {
            self.init(name: name, value: .constant(value ?? NSNull()))
        } else {
            self.init(name: name, value: .expression(expression))
        }
    }
}

extension BatchOutcome {
    /// Returns the result in the form that the request asks for.
    func result(of request: NSPersistentStoreRequest, in store: NSPersistentStore) -> NSPersistentStoreResult {
        switch request {
        case let insert as NSBatchInsertRequest:
            NSBatchInsertResult(result: value(insert.resultType.rawValue, store), resultType: insert.resultType)
        case let update as NSBatchUpdateRequest:
            NSBatchUpdateResult(result: value(update.resultType.rawValue, store), resultType: update.resultType)
        case let delete as NSBatchDeleteRequest:
            NSBatchDeleteResult(result: value(delete.resultType.rawValue, store), resultType: delete.resultType)
        default: NSPersistentStoreResult()
        }
    }

    /// Returns the result of a kind. The raw values of the three kinds are the same for all batch requests.
    private func value(_ kind: UInt, _ store: NSPersistentStore) -> Any {
        switch kind {
        case 1: rows.map { store.objectID(for: $0) }
        case 2: count
        default: true
        }
    }
}
