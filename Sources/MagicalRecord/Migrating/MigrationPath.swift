import CoreData

extension MagicalRecord {
    /// The chain of migrations from one version of a model to another: by the given mapping models, inferred otherwise.
    ///
    /// The shortest chain is used. An inferred step never skips a version that a given mapping model starts from or leads to,
    /// so that custom migrations of old data are not bypassed.
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
            /// The positions of the two versions in the list, from 1.
            public let versions: (from: Int, to: Int)
            /// Whether the step leads to an older version.
            public var leadsBack: Bool { versions.to < versions.from }

            /// The indexes of the versions if others lie between them; nil for a step with a mapping model.
            var inferredLeap: Leap? {
                guard isInferred, abs(versions.to - versions.from) > 1 else { return nil }
                return Leap(from: versions.from - 1, to: versions.to - 1)
            }
        }

        /// The steps, in order.
        public let steps: [Step]

        /// Finds the shortest chain of steps. Infers mappings as needed, which takes time for large models.
        ///
        /// - Parameters:
        ///   - versions: the versions of the model, oldest first.
        ///   - start: the index of the version to begin with.
        ///   - end: the index of the version to reach; by default the last.
        ///   - mappings: mapping models created in code, in addition to those in `bundles`.
        ///   - bundles: the bundles to search for mapping models.
        /// - Throws: an error that names the missing step, the reason, and the remedy, with the code of
        ///   `NSMappingModel.inferredMappingModel` (134190).
        public init(
            through versions: ModelVersions, from start: Int, to end: Int? = nil, mappings: [NSMappingModel] = [],
            in bundles: [Bundle] = [.main]
        ) throws {
            try self.init(through: versions, from: start, to: end, mappings: mappings, in: bundles, without: [])
        }

        /// Finds the shortest chain of steps, by breadth-first search.
        ///
        /// - Parameter refused: inferred steps that failed for the store.
        init(
            through versions: ModelVersions, from start: Int, to end: Int?, mappings: [NSMappingModel],
            in bundles: [Bundle], without refused: Set<Leap>
        ) throws {
            let models = versions.models
            let end = end ?? models.count - 1
            guard start != end else {
                steps = []
                return
            }
            let given = Self.given(models, mappings, bundles)
            var queue = [start]
            var arrivals: [Int: Step] = [:]
            while !queue.isEmpty, arrivals[end] == nil {
                let here = queue.removeFirst()
                // The longest steps first: they make the shortest chain.
                for there in models.indices.reversed() where there != here && there != start && arrivals[there] == nil {
                    if let mapping = given[Leap(from: here, to: there)] {
                        arrivals[there] = Self.step(models, here, there, mapping, isInferred: false)
                    } else if Self.isForward(start, end, here, there), !refused.contains(Leap(from: here, to: there)),
                        !Self.skips(here, there, given.keys),
                        let mapping = try? NSMappingModel.inferredMappingModel(
                            forSourceModel: models[here], destinationModel: models[there])
                    {
                        arrivals[there] = Self.step(models, here, there, mapping, isInferred: true)
                    } else {
                        continue
                    }
                    queue.append(there)
                }
            }
            var found: [Step] = []
            var place = end
            while place != start {
                guard let step = arrivals[place] else {
                    let here = Self.last(start, end, arrivals.keys)
                    throw MigrationStepError.missing(
                        from: here, to: here + (start < end ? 1 : -1), of: models, in: bundles)
                }
                found.insert(step, at: 0)
                place = step.versions.from - 1
            }
            steps = found
        }

        /// Returns the reachable version nearest to the end.
        private static func last(_ start: Int, _ end: Int, _ reached: some Sequence<Int>) -> Int {
            let onTheWay = reached.filter { start < end ? $0 > start && $0 < end : $0 < start && $0 > end }
            return (start < end ? onTheWay.max() : onTheWay.min()) ?? start
        }

        /// A pair of versions, by their indexes.
        struct Leap: Hashable {
            var from: Int
            var to: Int
        }

        private static func step(
            _ models: [NSManagedObjectModel], _ from: Int, _ to: Int, _ mapping: NSMappingModel, isInferred: Bool
        ) -> Step {
            Step(
                source: models[from], destination: models[to], mapping: mapping, isInferred: isInferred,
                versions: (from + 1, to + 1))
        }

        /// Returns whether a step goes in the direction of the chain, without passing its end, as inferred steps must.
        private static func isForward(_ start: Int, _ end: Int, _ here: Int, _ there: Int) -> Bool {
            start < end ? there > here && there <= end : there < here && there >= end
        }

        private static func skips(_ here: Int, _ there: Int, _ given: some Sequence<Leap>) -> Bool {
            let (low, high) = (min(here, there), max(here, there))
            return given.contains { leap in
                let (from, to) = (min(leap.from, leap.to), max(leap.from, leap.to))
                return (leap.from < leap.to) == (here < there) && from >= low && to <= high
            }
        }

        /// Returns the mapping models between any two of the versions.
        private static func given(
            _ models: [NSManagedObjectModel], _ mappings: [NSMappingModel], _ bundles: [Bundle]
        ) -> [Leap: NSMappingModel] {
            var found: [Leap: NSMappingModel] = [:]
            let search = MappingSearch(mappings, bundles)
            for from in models.indices {
                for to in models.indices where from != to {
                    found[Leap(from: from, to: to)] = search.mapping(from: models[from], to: models[to])
                }
            }
            return found
        }

        /// Finds mapping models, created in code or in bundles, for a pair of versions.
        private struct MappingSearch {
            private let mappings: [NSMappingModel]
            #if canImport(Darwin)
            private let bundles: [Bundle]

            init(_ mappings: [NSMappingModel], _ bundles: [Bundle]) {
                (self.mappings, self.bundles) = (mappings, bundles)
            }

            func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> NSMappingModel? {
                mappings.first { fits($0, source, destination) }
                    ?? NSMappingModel(from: bundles, forSourceModel: source, destinationModel: destination)
            }
            #else
            // Reads all files once rather than for each pair.
            init(_ mappings: [NSMappingModel], _ bundles: [Bundle]) {
                self.mappings = mappings + NSMappingModel.mappingModels(in: bundles)
            }

            func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> NSMappingModel? {
                mappings.first { fits($0, source, destination) }
            }
            #endif
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
