import CoreData

extension MagicalRecord {
    /// The shortest chain of migrations from one version of a model to another: by the given mapping models, inferred otherwise.
    /// An inferred step never skips a version that a given mapping model starts from or leads to, so that custom migrations of
    /// old data are not bypassed.
    public struct MigrationPath: @unchecked Sendable {
        /// One migration.
        public struct Step: @unchecked Sendable {
            /// The version that the step starts from.
            public let source: NSManagedObjectModel
            /// The version that the step leads to.
            public let destination: NSManagedObjectModel
            /// The mapping of the step.
            public let mapping: NSMappingModel
            /// Whether the mapping was inferred from the two models.
            public let isInferred: Bool
            let leap: Leap
            /// The positions of the two versions in the list, from 1.
            public var versions: (from: Int, to: Int) { (leap.from + 1, leap.to + 1) }
            /// Whether the step leads to an older version.
            public var leadsBack: Bool { leap.leadsBack }
        }

        /// The steps, in order.
        public let steps: [Step]

        /// Finds the shortest chain of steps, by mapping models as for ``MagicalRecord/migrate(_:through:mappings:in:progress:)``.
        /// Infers others as needed, which takes time for large models.
        ///
        /// The path leads from the version of index `start` to that of index `end`, by default the last. Versions are in the order
        /// of the model, oldest first.
        ///
        /// - Throws: an error that names the missing step, the reason, and the remedy, with the code of
        ///   `NSMappingModel.inferredMappingModel` (134190).
        public init(
            through versions: ModelVersions, from start: Int, to end: Int? = nil, mappings: [NSMappingModel] = [],
            in bundles: [Bundle] = [.main]
        ) throws {
            try self.init(through: versions, from: start, to: end, mappings: mappings, in: bundles, without: [])
        }

        /// Finds the shortest chain of steps without inferred steps that failed for the store, by breadth-first search.
        init(
            through versions: ModelVersions, from start: Int, to end: Int?, mappings: [NSMappingModel],
            in bundles: [Bundle], without refused: Set<Leap>
        ) throws {
            let models = versions.models
            let whole = Leap(from: start, to: end ?? models.count - 1)
            guard start != whole.to else {
                steps = []
                return
            }
            let given = Self.given(models, mappings, bundles)
            var queue = [start]
            var arrivals: [Int: Step] = [:]
            while !queue.isEmpty, arrivals[whole.to] == nil {
                let here = queue.removeFirst()
                // The longest steps first: they make the shortest chain.
                for there in models.indices.reversed() where there != here && there != start && arrivals[there] == nil {
                    let leap = Leap(from: here, to: there)
                    let (source, destination) = (models[here], models[there])
                    var mapping = given[leap]
                    let isInferred =
                        mapping == nil && leap.leads(towardsEndOf: whole) && !refused.contains(leap)
                        && !given.keys.contains(where: leap.covers)
                    if isInferred {
                        mapping = try? .inferredMappingModel(forSourceModel: source, destinationModel: destination)
                    }
                    guard let mapping else { continue }
                    arrivals[there] = Step(
                        source: source, destination: destination, mapping: mapping, isInferred: isInferred, leap: leap)
                    queue.append(there)
                }
            }
            var found: [Step] = []
            var place = whole.to
            while place != start {
                guard let step = arrivals[place] else {
                    let onTheWay = arrivals.keys.filter { whole.span.contains($0) }
                    let here = (whole.leadsBack ? onTheWay.min() : onTheWay.max()) ?? start
                    let gap = Leap(from: here, to: here + (whole.leadsBack ? -1 : 1))
                    throw MigrationStepError.missing(gap, of: models, in: bundles)
                }
                found.insert(step, at: 0)
                place = step.leap.from
            }
            steps = found
        }

        /// A pair of versions, by their indexes.
        struct Leap: Hashable {
            var from: Int
            var to: Int

            var leadsBack: Bool { to < from }
            var span: ClosedRange<Int> { min(from, to)...max(from, to) }

            /// Returns whether a step goes in the direction of a chain, without passing its end, as inferred steps must.
            func leads(towardsEndOf chain: Leap) -> Bool {
                leadsBack == chain.leadsBack && (leadsBack ? to >= chain.to : to <= chain.to)
            }

            /// Returns whether another pair, in the same direction, lies within this one.
            func covers(_ other: Leap) -> Bool { leadsBack == other.leadsBack && span.contains(other.span) }
        }

        /// Returns the mapping models, created in code or in bundles, between any two of the versions.
        private static func given(
            _ models: [NSManagedObjectModel], _ mappings: [NSMappingModel], _ bundles: [Bundle]
        ) -> [Leap: NSMappingModel] {
            #if !canImport(Darwin)
            // Reads all files once rather than for each pair.
            let mappings = mappings + NSMappingModel.mappingModels(in: bundles)
            #endif
            var found: [Leap: NSMappingModel] = [:]
            for from in models.indices {
                for to in models.indices where from != to {
                    let (leap, source, destination) = (Leap(from: from, to: to), models[from], models[to])
                    found[leap] = mappings.first { fits($0, source, destination) }
                    #if canImport(Darwin)
                    found[leap] =
                        found[leap]
                        ?? NSMappingModel(from: bundles, forSourceModel: source, destinationModel: destination)
                    #endif
                }
            }
            return found
        }

        /// Returns whether a mapping model was made for two models: it names every entity, and every version hash matches.
        private static func fits(
            _ mapping: NSMappingModel, _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
        ) -> Bool {
            let entities = mapping.entityMappings ?? []
            func agrees(
                _ name: (NSEntityMapping) -> String?, _ hash: (NSEntityMapping) -> Data?, _ model: NSManagedObjectModel
            ) -> Bool {
                let hashes = model.entityVersionHashesByName
                let named = entities.compactMap { mapping in name(mapping).map { ($0, hash(mapping)) } }
                return named.allSatisfy { name, hash in hashes[name] != nil && (hash == nil || hashes[name] == hash) }
                    && model.entities.allSatisfy { entity in
                        entity.isAbstract || named.contains { $0.0 == entity.name }
                    }
            }
            return agrees(\.sourceEntityName, \.sourceEntityVersionHash, source)
                && agrees(\.destinationEntityName, \.destinationEntityVersionHash, destination)
        }
    }
}
