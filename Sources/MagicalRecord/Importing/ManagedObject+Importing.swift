import CoreData

extension MagicalRecord.ManagedObject {
    /// Imports one record: finds the object it identifies or creates one, and gives it the record's values and
    /// relationships. Saves nothing.
    ///
    /// The model's userInfo entries say how keys map to attributes; see the article on importing. For many records use
    /// ``importAll(from:options:in:)-([[String:Any]],_,_)``, which looks objects up together.
    ///
    /// - Parameters:
    ///   - record: a dictionary, or any object whose properties can be read by name.
    ///   - options: what the import may do.
    ///   - context: where the object goes.
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``, ``MagicalRecordError/Code/malformedRecord``,
    ///   ``MagicalRecordError/Code/unknownEntity``, or Core Data's error.
    @discardableResult
    public static func importOne(
        from record: Any, options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        in context: NSManagedObjectContext? = nil
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            var options = options
            options.stopsAtFirstFailure = true
            let entity = try all.entity(in: context)
            var session = ImportSession(context: context, entity: entity, options: options)
            guard let object = try session.importChunk([record]).first ?? nil else {
                throw MagicalRecordError(
                    .malformedRecord, "The object's shouldImport turned the record down.", entity: entity.name)
            }
            guard let typed = object as? Self else {
                throw MagicalRecordError(
                    .classMismatch, "Objects of the entity \(entity.name ?? "") are not of class \(self).",
                    entity: entity.name)
            }
            return typed
        }
    }

    /// Imports records into a context, looking their objects up once for each entity and chunk. Saves nothing.
    ///
    /// Records that mean the same object, in one input or in a second import of the same input, become one object.
    /// Failures are noted in the report, and change nothing of the object concerned.
    ///
    /// To import into the store, with bounded memory and progress, use
    /// ``MagicalRecord/importAll(_:from:options:onConflict:progress:)``.
    @discardableResult
    public static func importAll(
        from records: [[String: Any]], options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.ImportReport {
        try importing(ArrayReader(records), options, in: context).report
    }

    /// Imports JSON into a context: a list of records, one record, or records one after the other (NDJSON).
    @discardableResult
    public static func importAll(
        from json: Data, options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.ImportReport {
        try importAll(from: .data(json), options: options, in: context)
    }

    /// Imports from a source into a context.
    @discardableResult
    public static func importAll(
        from source: MagicalRecord.ImportSource, options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.ImportReport {
        try importing(try source.makeReader(options), options, in: context).report
    }

    /// As ``importAll(from:options:in:)-([[String:Any]],_,_)``, and returns the objects, in the order of the records. Records that
    /// failed or were skipped have none; an object two records mean is there twice.
    public static func importObjects(
        from records: [[String: Any]], options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions(),
        in context: NSManagedObjectContext? = nil
    ) throws -> (objects: [Self], report: MagicalRecord.ImportReport) {
        try importing(ArrayReader(records), options, in: context, keepsObjects: true)
    }

    private static func importing(
        _ reader: any RecordReader, _ options: MagicalRecord.ImportOptions, in context: NSManagedObjectContext?,
        keepsObjects: Bool = false
    ) throws -> (objects: [Self], report: MagicalRecord.ImportReport) {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            var session = ImportSession(context: context, entity: try all.entity(in: context), options: options)
            var objects: [Self] = []
            while true {
                let records = try autoreleasepool { try reader.next(options.chunkSize) }
                guard !records.isEmpty else { break }
                let imported = try session.importRecords(records)
                if keepsObjects { objects += imported.compactMap { $0 as? Self } }
            }
            return (objects, session.report)
        }
    }
}

extension NSManagedObject {
    /// Gives this object the values and relationships of a record, without looking for another object.
    ///
    /// - Returns: false when the object's `shouldImport` turned the record down.
    @discardableResult
    public func importValues(from record: Any, options: MagicalRecord.ImportOptions = MagicalRecord.ImportOptions())
        throws -> Bool
    {
        try importValues(from: record, options: options, tolerance: nil)
    }

    func importValues(from record: Any, options: MagicalRecord.ImportOptions, tolerance: ImportTolerance?) throws
        -> Bool
    {
        guard let context = managedObjectContext else {
            throw MagicalRecordError(.missingContext, "The object has no context.", entity: entity.name)
        }
        return try context.runAndWait {
            var session = ImportSession(
                context: context, entity: entity, options: options, tolerance: tolerance)
            return try session.fill(self, from: record)
        }
    }
}
