import CoreData

extension NSManagedObject {
    /// Returns the object and its related objects as a dictionary that JSON can hold and an import reads back into the same
    /// graph. Runs on the queue of the object's context, blocking the thread.
    ///
    /// - Throws: ``MagicalRecordError/Code/unexportableValue``.
    public func exported(_ options: MagicalRecord.ExportOptions = MagicalRecord.ExportOptions()) throws -> [String: Any]
    {
        try NSManagedObject.onQueue(of: [self]) {
            var exporter = Exporter(options)
            return try exporter.records([self])[0]
        }
    }

    fileprivate static func onQueue<Result>(of objects: [NSManagedObject], _ body: () throws -> Result) rethrows
        -> Result
    {
        guard let context = objects.first?.managedObjectContext else { return try body() }
        return try context.runAndWait(body)
    }
}

extension Sequence where Element: NSManagedObject {
    /// Returns the objects and their related objects as dictionaries that JSON can hold and an import reads back into the same
    /// graph. Runs on the queue of the objects' context, blocking the thread. All must belong to the same context.
    ///
    /// - Throws: ``MagicalRecordError/Code/unexportableValue``.
    public func exported(_ options: MagicalRecord.ExportOptions = MagicalRecord.ExportOptions()) throws -> [[String:
        Any]]
    {
        let objects = Array(self)
        return try NSManagedObject.onQueue(of: objects) {
            var exporter = Exporter(options)
            return try exporter.records(objects)
        }
    }

    /// Returns the result of ``exported(_:)`` as JSON text, with keys in alphabetical order.
    public func exportedJSON(_ options: MagicalRecord.ExportOptions = MagicalRecord.ExportOptions()) throws -> Data {
        try JSONSerialization.data(withJSONObject: try exported(options), options: [.sortedKeys])
    }
}
