import CoreData

extension MagicalRecord.Query {
    /// Returns a controller for these objects in sections, fetched and kept up to date.
    ///
    /// ```swift
    /// let controller = try User.sorted(by: \.displayName).fetchedResults(sectionedBy: \.countryCode, delegate: self)
    /// ```
    /// A controller belongs on its context's queue, for user interfaces the main one.
    ///
    /// - Parameters:
    ///   - section: what the objects of one section share. It comes first in their order, unless the query's begins with it.
    ///   - delegate: the object notified of changes; held weakly. Changes are tracked while there is one.
    ///   - cacheName: the name under which sections are kept on disk, where the platform does that.
    ///   - context: where; without one, see ``MagicalRecord/Query``.
    /// - Throws: ``MagicalRecordError`` for a query that does not fit the model, or Core Data's error.
    public func fetchedResults<Section>(
        sectionedBy section: KeyPath<Object, Section>, delegate: (any NSFetchedResultsControllerDelegate)? = nil,
        cacheName: String? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Object> {
        try controller(section: try KeyPathName.of(section).get(), delegate, cacheName, in: context)
    }

    /// Returns a controller as ``fetchedResults(sectionedBy:delegate:cacheName:in:)`` does, with one section.
    public func fetchedResults(
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, cacheName: String? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Object> { try controller(section: nil, delegate, cacheName, in: context) }

    private func controller(
        section: String?, _ delegate: (any NSFetchedResultsControllerDelegate)?, _ cacheName: String?,
        in context: NSManagedObjectContext?
    ) throws -> NSFetchedResultsController<Object> {
        let context = try ContextScope.resolve(context)
        let request = try fetchRequest(in: context)
        var descriptors = request.sortDescriptors ?? []
        if descriptors.isEmpty {
            descriptors = FetchedResultsDefaults.order(for: try entity(in: context), grouping: section)
        } else if let section, descriptors[0].key != section {
            descriptors.insert(NSSortDescriptor(key: section, ascending: true), at: 0)
        }
        guard !descriptors.isEmpty else {
            throw MagicalRecordError(
                .unsupportedCondition, "A fetched-results controller needs an order, and the entity has no attribute.",
                advice: "Give the query one, with sorted(by:).", entity: request.entityName)
        }
        request.sortDescriptors = descriptors
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: cacheName)
        controller.delegate = delegate
        try context.performFetch(of: controller)
        return controller
    }
}

/// The default order and cache of results controllers.
enum FetchedResultsDefaults {
    /// Returns an order by the grouping, then by the attribute that identifies objects in imports, or else by the first
    /// attribute with an order.
    static func order(for entity: NSEntityDescription, grouping: String?) -> [NSSortDescriptor] {
        let ordered = entity.attributesByName.values.filter(\.isSortable)
        let key = entity.importKeyAttribute?.name ?? ordered.map(\.name).min()
        return [grouping, key].compactMap(\.self).map { NSSortDescriptor(key: $0, ascending: true) }
    }

    /// Returns a name for the file in which sections are kept. It differs for requests with different sections, and is the same
    /// in every run of the program.
    static func cacheName<Result>(
        for type: NSManagedObject.Type, _ request: NSFetchRequest<Result>, _ grouping: String?
    ) -> String {
        let order = (request.sortDescriptors ?? []).map { "\($0.key ?? ""):\($0.ascending)" }.joined(separator: ",")
        let text = [request.predicate?.description ?? "", order, grouping ?? ""].joined(separator: "\u{1}")
        // FNV-1a: short, and no different tomorrow, as Swift's own hashes are.
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "MagicalRecord-Cache-\(ClassName.full(type))-\(String(hash, radix: 16))"
    }
}
