import CoreData

extension MagicalRecord {
    /// One page of a result.
    public struct Page<Object: NSManagedObject> {
        /// The objects of this page.
        public let objects: [Object]
        /// The number of this page, from 0.
        public let number: Int
        /// The number of objects on a full page.
        public let size: Int
        /// The number of objects on all pages together.
        public let total: Int

        /// The number of pages.
        public var pageCount: Int { (total + size - 1) / size }

        /// Whether another page follows.
        public var hasNext: Bool { number + 1 < pageCount }
    }

    /// One page of a result that is walked through by cursors.
    public struct CursorPage<Object: NSManagedObject> {
        /// The objects of this page.
        public let objects: [Object]
        /// The cursor of the next page, or `nil` if this one is the last.
        public let next: Cursor?

        /// Whether another page follows.
        public var hasNext: Bool { next != nil }
    }
}

extension MagicalRecord.Query {
    /// Returns one page of the result. Pages are numbered from 0.
    ///
    /// They may overlap unless the order decides between all objects. The query's own limit and offset are ignored.
    ///
    /// - Throws: ``MagicalRecordError/Code/invalidArgument`` for a number below 0 or a size below 1, which may come from a
    ///   request; what ``fetchRequest(in:)`` throws, or Core Data's error.
    public func page(
        _ number: Int, size: Int, in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.Page<Object> {
        guard size > 0, number >= 0, !number.multipliedReportingOverflow(by: size).overflow else {
            throw MagicalRecordError(
                .invalidArgument, "There is no page \(number) of \(size) objects.",
                advice: "Pages are numbered from 0 and hold at least one object.",
                entity: shownEntity)
        }
        let context = try ContextScope.resolve(context)
        let whole = with { ($0.limit, $0.offset) = (nil, nil) }
        return try context.runAndWait {
            let objects = try whole.limited(to: size, offset: number * size).findAll(in: context)
            return MagicalRecord.Page(objects: objects, number: number, size: size, total: try whole.count(in: context))
        }
    }
}
