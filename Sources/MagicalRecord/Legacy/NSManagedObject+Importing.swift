import CoreData

extension ImportOptions {
    /// As the original imports: to-many relationships are only added to.
    static let legacy = ImportOptions(relationships: .add)
}

extension NSManagedObject {
    /// Imports one record: finds the object it identifies, or creates one, and fills it. Saves nothing.
    ///
    /// A record that cannot be read goes to the error handler, and an object without its values is returned, since the
    /// original's declaration promises one. ``ManagedObject/importOne(from:options:in:)`` throws instead.
    @discardableResult
    public class func mr_import(from data: Any, in context: NSManagedObjectContext) -> Self {
        let imported = MagicalRecord.reporting { try legacyImport([data], in: context).first ?? nil } ?? nil
        if let object = imported as? Self { return object }
        guard let object = mr_createEntity(in: context) else {
            preconditionFailure("The model has no entity for \(self). See the error handler's message.")
        }
        return object
    }

    /// Imports a record into the thread's context.
    @discardableResult
    public class func mr_import(from data: Any) -> Self { mr_import(from: data, in: ThreadContexts.current()) }

    /// Imports records, in order, looking their objects up together. Records that cannot be read go to the error
    /// handler and are left out.
    @discardableResult
    public class func mr_import(from listOfObjectData: [[AnyHashable: Any]], in context: NSManagedObjectContext)
        -> [NSManagedObject]
    {
        MagicalRecord.reporting { try legacyImport(listOfObjectData, in: context).compactMap { $0 } } ?? []
    }

    /// Imports records into the thread's context.
    @discardableResult
    public class func mr_import(from listOfObjectData: [[AnyHashable: Any]]) -> [NSManagedObject] {
        mr_import(from: listOfObjectData, in: ThreadContexts.current())
    }

    /// Fills this object from a record. False when its `shouldImport` turned the record down, or it cannot be read.
    @discardableResult
    public func mr_importValuesForKeys(with objectData: Any) -> Bool {
        MagicalRecord.reporting { try importValues(from: objectData, options: .legacy) } ?? false
    }

    private class func legacyImport(_ records: [Any], in context: NSManagedObjectContext) throws -> [NSManagedObject?] {
        try context.performAndWait {
            let entity = try EntityLookup.entity(for: self, in: context)
            var session = ImportSession(context: context, entity: entity, options: .legacy)
            let objects = try session.importChunk(records)
            session.report.failures.forEach { MagicalRecord.handleErrors($0.error) }
            return objects
        }
    }
}
