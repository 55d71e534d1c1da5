import CoreData

extension MagicalRecord.ImportOptions {
    /// As the original imports: to-many relationships are only added to.
    static let legacy = MagicalRecord.ImportOptions(relationships: .add)
}

extension NSManagedObject {
    /// Finds the object a record identifies, or creates one, and fills it attribute by attribute. Saves nothing.
    ///
    /// A value that cannot be converted leaves its attribute as it is, and a related record or id that cannot be read
    /// is left out; the rest of the record is imported. A date that cannot be read becomes `nil`. Every such value goes
    /// to the error handler.
    ///
    /// - Returns: The object. When nothing of a new record can be used, or its `shouldImport` declines, an object that
    ///   belongs to no context and is never saved, since the original promises a result.
    ///   ``MagicalRecord/ManagedObject/importOne(from:options:in:)`` throws instead.
    @discardableResult
    public class func mr_import(from data: Any, in context: NSManagedObjectContext) -> Self {
        let imported = MagicalRecord.reporting { try legacyImport([data], in: context).first ?? nil } ?? nil
        if let object = imported as? Self { return object }
        guard let entity = MagicalRecord.reporting({ try EntityLookup.entity(for: self, in: context) }) else {
            preconditionFailure("The model has no entity for \(self). See the error handler's message.")
        }
        return Self(entity: entity, insertInto: nil)
    }

    /// Imports a record into the thread's context. See ``mr_import(from:in:)-(Any,_)``.
    @discardableResult
    public class func mr_import(from data: Any) -> Self { mr_import(from: data, in: ThreadContexts.current()) }

    /// Imports records, in order and each attribute by attribute, looking their objects up together.
    ///
    /// Values that cannot be converted go to the error handler and leave their attributes as they are. A record of
    /// which nothing can be used makes no object and is left out.
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

    /// Imports records that are not declared as dictionaries with keys of any type: `[[String: Any]]`, `[Any]`, `[NSDictionary]`.
    ///
    /// (In the original, Swift took such an array for one record.) What is no record goes to the error handler and is left out.
    @discardableResult
    public class func mr_import<Record>(from listOfObjectData: [Record], in context: NSManagedObjectContext)
        -> [NSManagedObject]
    {
        MagicalRecord.reporting { try legacyImport(listOfObjectData, in: context).compactMap { $0 } } ?? []
    }

    /// Imports records that are not declared as dictionaries with keys of any type into the thread's context.
    @discardableResult
    public class func mr_import<Record>(from listOfObjectData: [Record]) -> [NSManagedObject] {
        mr_import(from: listOfObjectData, in: ThreadContexts.current())
    }

    /// Imports the records of an array of Foundation's.
    @discardableResult
    public class func mr_import(from listOfObjectData: NSArray, in context: NSManagedObjectContext)
        -> [NSManagedObject]
    {
        mr_import(from: listOfObjectData.map { $0 }, in: context)
    }

    /// Imports the records of an array of Foundation's into the thread's context.
    @discardableResult
    public class func mr_import(from listOfObjectData: NSArray) -> [NSManagedObject] {
        mr_import(from: listOfObjectData, in: ThreadContexts.current())
    }

    /// Fills this object from a record, attribute by attribute. Values that cannot be converted go to the error handler
    /// and leave their attributes as they are.
    ///
    /// - Returns: false when the object's `shouldImport` turned the record down, or the object has no context.
    #if canImport(ObjectiveC)
    @objc(MR_importValuesForKeysWithObject:)
    #endif
    @discardableResult
    public func mr_importValuesForKeys(with objectData: Any) -> Bool {
        let tolerance = ImportTolerance()
        defer { tolerance.errors.forEach(MagicalRecord.handleErrors) }
        return MagicalRecord.reporting {
            try importValues(from: objectData, options: .legacy, tolerance: tolerance)
        } ?? false
    }

    private class func legacyImport(_ records: [Any], in context: NSManagedObjectContext) throws -> [NSManagedObject?] {
        let tolerance = ImportTolerance()
        defer { tolerance.errors.forEach(MagicalRecord.handleErrors) }
        return try context.runAndWait {
            let entity = try EntityLookup.entity(for: self, in: context)
            var session = ImportSession(context: context, entity: entity, options: .legacy, tolerance: tolerance)
            let objects = try session.importChunk(records)
            session.report.failures.forEach { tolerance.add($0.error) }
            return objects
        }
    }
}
