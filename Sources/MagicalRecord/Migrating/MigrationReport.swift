import CoreData

extension MagicalRecord {
    /// The progress of a migration, with a means to cancel it.
    public struct MigrationProgress: Sendable {
        /// The current step, from 1.
        public let step: Int
        /// The number of steps.
        public let stepCount: Int
        /// The completed part of the whole migration, from 0 to 1.
        public let fraction: Double
        /// Cancels the migration, which then throws ``MagicalRecordError/Code/cancelled``. The store is left unchanged.
        public let cancel: @Sendable () -> Void
    }

    /// The results of a chain of migrations, or of its rehearsal.
    public struct MigrationReport: Sendable, CustomStringConvertible {
        /// One migration.
        public struct Step: Sendable {
            /// The position of the source version in the list of versions, from 1.
            public let from: Int
            /// The position of the destination version, from 1.
            public let to: Int
            /// Whether the step leads to an earlier version or, off Apple's platforms, one the store was migrated from.
            public let leadsBack: Bool
            /// Whether the mapping was inferred.
            public let isInferred: Bool
            /// The duration in seconds.
            public let seconds: Double
            /// The number of objects before the step, by entity, without subentities.
            public let rowsIn: [String: Int]
            /// The number of objects after the step, by entity, without subentities.
            public let rowsOut: [String: Int]
            /// The data that the step drops, in words: objects of removed entities and values of removed attributes. Objects
            /// that a mapping model's policy drops show in the counts alone.
            public let losses: [String]
        }

        /// The steps, in order.
        public let steps: [Step]

        /// The dropped data of all steps.
        public var losses: [String] { steps.flatMap(\.losses) }

        public var description: String {
            steps.map { step in
                let rows = "\(step.rowsIn.values.reduce(0, +)) rows in, \(step.rowsOut.values.reduce(0, +)) out"
                let time = String(format: "%.3f s", step.seconds)
                let lost = step.losses.map { "\n    loses \($0)" }.joined()
                let direction = step.leadsBack ? "back from version" : "version"
                return "\(direction) \(step.from) to \(step.to), \(step.isInferred ? "inferred" : "by mapping model"): "
                    + "\(time), \(rows)\(lost)"
            }.joined(separator: "\n")
        }
    }
}

/// Counts the objects of a store before or after a step.
package struct MigrationCensus {
    let url: URL
    let type: String
    let model: NSManagedObjectModel
    var configuration: String?
    /// The options of the store; only the timeout is used.
    let options: [String: Any]

    package init(
        url: URL, type: String, model: NSManagedObjectModel, configuration: String? = nil, options: [String: Any]
    ) {
        (self.url, self.type, self.model) = (url, type, model)
        (self.configuration, self.options) = (configuration, options)
    }

    /// Runs `body` with a context on the store, opened read-only. Throws also the error of a read that could not throw it.
    package func open<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var reading: [String: Any] = [NSReadOnlyPersistentStoreOption: true]
        reading[NSPersistentStoreTimeoutOption] = options[NSPersistentStoreTimeoutOption]
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration, at: url, options: reading)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.runAndWait { try context.throwingReadErrors { try body(context) } }
    }

    func rows(_ context: NSManagedObjectContext) throws -> [String: Int] {
        try model.entities.filter { !$0.isAbstract }.compactMap(\.name).reduce(into: [:]) { rows, name in
            rows[name] = try count(name, nil, context)
        }
    }

    private func count(_ entity: String, _ predicate: NSPredicate?, _ context: NSManagedObjectContext) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        request.predicate = predicate
        return try context.number(of: request)
    }

    /// Returns descriptions of the data that a mapping drops.
    func losses(
        _ mapping: NSMappingModel, to destination: NSManagedObjectModel, _ context: NSManagedObjectContext
    ) throws -> [String] {
        var losses: [String] = []
        for (name, entity) in model.entitiesByName.sorted(by: { $0.key < $1.key }) where !entity.isAbstract {
            let mappings = (mapping.entityMappings ?? []).filter {
                $0.sourceEntityName == name && $0.destinationEntityName != nil
            }
            if mappings.isEmpty {
                let count = try count(name, nil, context)
                if count > 0 { losses.append("\(count) objects of \(name)") }
                continue
            }
            // Derived values are computed by the store again.
            for (key, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
            where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
                guard !mappings.contains(where: { uses($0, key, attribute, destination) }) else { continue }
                let count = try count(name, NSPredicate(format: "%K != nil", key), context)
                if count > 0 { losses.append("\(count) values of \(name).\(key)") }
            }
        }
        return losses
    }

    /// Returns whether the destination stores the attribute or a value expression mentions it.
    private func uses(
        _ mapping: NSEntityMapping, _ key: String, _ attribute: NSAttributeDescription,
        _ destination: NSManagedObjectModel
    ) -> Bool {
        let isMentioned = (mapping.attributeMappings ?? []).contains {
            $0.valueExpression.map { Self.mentions(key, "\($0)") } ?? false
        }
        if isMentioned { return true }
        guard mapping.attributeMappings?.isEmpty ?? true else { return false }
        let entity = mapping.destinationEntityName.flatMap { destination.entitiesByName[$0] }
        return (entity?.attributesByName ?? [:]).values.contains {
            !$0.isTransient && !($0 is NSDerivedAttributeDescription)
                && [attribute.renamingIdentifier, key].contains($0.renamingIdentifier)
        }
    }

    /// Returns whether an expression reads the source's attribute, and not one with a longer name that begins with its name.
    private static func mentions(_ key: String, _ expression: String) -> Bool {
        expression.components(separatedBy: "$source.\(key)").dropFirst().contains { rest in
            rest.first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
        }
    }
}
