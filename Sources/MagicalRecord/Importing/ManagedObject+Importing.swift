import CoreData

extension MagicalRecord.ManagedObject {
    /// Imports one record: finds the object it identifies or inserts one, and sets the record's values and relationships. Saves
    /// nothing. For many records use ``importAll(from:options:in:)-([[String:Any]],_,_)``, which looks objects up together.
    ///
    /// - Parameters:
    ///   - record: a dictionary, or an object with properties that key-value coding can read.
    ///   - options: options of the import; `stopsAtFirstFailure` is always on.
    ///   - context: the context of the object; without one, the current save's or, on the main thread, the default stack's main
    ///     context.
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue``, ``MagicalRecordError/Code/malformedRecord``,
    ///   ``MagicalRecordError/Code/unknownEntity``, or Core Data's error.
    @discardableResult
    public static func importOne(
        from record: Any, options: MagicalRecord.ImportOptions = .init(), in context: NSManagedObjectContext? = nil
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            var options = options
            options.stopsAtFirstFailure = true
            let entity = try all.entity(in: context)
            var session = ImportSession(context: context, entity: entity, options: options)
            session.namesRecords = false
            guard let object = try session.importChunk([.success(record)]).first ?? nil else {
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
    /// Records with the same identity, in one input or in repeated imports, update one object. Failed records are listed in the
    /// report and leave their objects unchanged. ``MagicalRecord/importAll(_:from:options:onConflict:progress:)`` imports into
    /// the store, with bounded memory and progress.
    @discardableResult
    public static func importAll(
        from records: [[String: Any]], options: MagicalRecord.ImportOptions = .init(),
        in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.ImportReport {
        try importAll(from: .records(records), options: options, in: context)
    }

    /// Imports JSON into a context: a list of records, one record, or several records in a row (NDJSON). Saves nothing.
    @discardableResult
    public static func importAll(
        from json: Data, options: MagicalRecord.ImportOptions = .init(), in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.ImportReport {
        try importAll(from: .data(json), options: options, in: context)
    }

    /// Imports the records of a source into a context. Saves nothing.
    @discardableResult
    public static func importAll(
        from source: MagicalRecord.ImportSource, options: MagicalRecord.ImportOptions = .init(),
        in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.ImportReport {
        try importing(source, options, in: context).report
    }

    /// Imports records as ``importAll(from:options:in:)-([[String:Any]],_,_)`` and also returns the objects, in the order of
    /// the records. Failed and skipped records have no object; an object of two records occurs twice.
    public static func importObjects(
        from records: [[String: Any]], options: MagicalRecord.ImportOptions = .init(),
        in context: NSManagedObjectContext? = nil
    ) throws -> (objects: [Self], report: MagicalRecord.ImportReport) {
        try importing(.records(records), options, in: context, keepsObjects: true)
    }

    private static func importing(
        _ source: MagicalRecord.ImportSource, _ options: MagicalRecord.ImportOptions,
        in context: NSManagedObjectContext?, keepsObjects: Bool = false
    ) throws -> (objects: [Self], report: MagicalRecord.ImportReport) {
        let reader = try source.makeReader(options)
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
    /// Sets the values and relationships of a record on this object, without looking an object up by identity. Saves nothing.
    ///
    /// - Returns: false if the object's `shouldImport` rejected the record.
    @discardableResult
    public func importValues(from record: Any, options: MagicalRecord.ImportOptions = .init()) throws -> Bool {
        try importValues(from: record, options: options, tolerance: nil)
    }

    func importValues(from record: Any, options: MagicalRecord.ImportOptions, tolerance: ImportTolerance?) throws
        -> Bool
    {
        guard let context = managedObjectContext else {
            throw MagicalRecordError(.missingContext, "The object has no context.", entity: entity.name)
        }
        return try context.runAndWait {
            var session = ImportSession(context: context, entity: entity, options: options, tolerance: tolerance)
            return try session.fill(self, from: record)
        }
    }
}
