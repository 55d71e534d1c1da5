import CoreData

extension MagicalRecord.ImportOptions {
    /// The original's way of importing: members are added to to-many relationships, never removed.
    static let legacy = MagicalRecord.ImportOptions(relationships: .add)
}

extension NSManagedObject {
    /// Finds the object that a record identifies or creates one, and imports the record attribute by attribute. Saves nothing.
    /// Imports into the current thread's context unless given one.
    ///
    /// A value that cannot be converted leaves its attribute unchanged, and a related record or identity that cannot be read is
    /// omitted; the rest of the record is imported. A date that cannot be read becomes nil. Every such error goes to the error
    /// handler.
    ///
    /// - Returns: the object. If no part of a new record can be used, or its `shouldImport` rejects it, an object without a
    ///   context, which is never saved: the original declared the result as nonnull.
    ///   ``MagicalRecord/ManagedObject/importOne(from:options:in:)`` throws instead.
    @discardableResult
    public class func mr_import(from data: Any, in context: NSManagedObjectContext = .currentThread) -> Self {
        let imported = MagicalRecord.reporting { try legacyImport([data], in: context).first ?? nil } ?? nil
        if let object = imported as? Self { return object }
        guard let entity = MagicalRecord.reporting({ try EntityLookup.entity(for: self, in: context) }) else {
            preconditionFailure("The model has no entity for \(self). See the error handler's message.")
        }
        return Self(entity: entity, insertInto: nil)
    }

    /// Imports records in order, attribute by attribute, looking their objects up together. Returns the objects.
    ///
    /// Errors of values go to the error handler and leave their attributes unchanged. A record without usable parts creates no
    /// object and is omitted.
    @discardableResult
    public class func mr_import(
        from listOfObjectData: [[AnyHashable: Any]], in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject] {
        MagicalRecord.reporting { try legacyImport(listOfObjectData, in: context).compactMap { $0 } } ?? []
    }

    /// Imports records that are not typed as dictionaries with keys of any type: `[[String: Any]]`, `[Any]`, `[NSDictionary]`.
    /// Returns the objects.
    ///
    /// (In the original, Swift took such an array for one record.) Elements that are not records are omitted; the error goes to
    /// the error handler.
    @discardableResult
    public class func mr_import<Record>(
        from listOfObjectData: [Record], in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject] {
        MagicalRecord.reporting { try legacyImport(listOfObjectData, in: context).compactMap { $0 } } ?? []
    }

    /// Imports the records of an `NSArray`. Returns the objects.
    @discardableResult
    public class func mr_import(
        from listOfObjectData: NSArray, in context: NSManagedObjectContext = .currentThread
    ) -> [NSManagedObject] { mr_import(from: listOfObjectData.map { $0 }, in: context) }

    /// Imports a record into this object, attribute by attribute. Errors of values go to the error handler and leave their
    /// attributes unchanged.
    ///
    /// - Returns: false if the object's `shouldImport` rejected the record, or the object has no context.
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
            session.namesRecords = records.count > 1
            let objects = try session.importChunk(records.map(ReadRecord.success))
            session.report.failures.forEach { tolerance.add($0.error) }
            return objects
        }
    }
}
