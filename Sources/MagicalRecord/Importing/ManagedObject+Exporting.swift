import CoreData

extension NSManagedObject {
    /// The object and what it is related to, as a dictionary that JSON can hold and an import reads back into the same
    /// graph.
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
    /// The objects and what they are related to, as dictionaries that JSON can hold and an import reads back into the
    /// same graph. All must be of one context.
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

    /// As ``exported(_:)``, as JSON text, with keys in alphabetical order.
    public func exportedJSON(_ options: MagicalRecord.ExportOptions = MagicalRecord.ExportOptions()) throws -> Data {
        try JSONSerialization.data(withJSONObject: try exported(options), options: [.sortedKeys])
    }
}
