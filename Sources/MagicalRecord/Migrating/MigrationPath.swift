import CoreData

extension MagicalRecord {
    /// The steps from one version of a model to another: by mapping models where they are given, inferred otherwise.
    ///
    /// The shortest way is taken. An inferred step never leaps over a version that a given mapping leads from or to, so that
    /// what was written by hand for old data is carried out.
    public struct MigrationPath: @unchecked Sendable {
        /// One migration.
        public struct Step: @unchecked Sendable {
            /// The version the step starts from.
            public let source: NSManagedObjectModel
            /// The version it leads to.
            public let destination: NSManagedObjectModel
            /// How it gets there.
            public let mapping: NSMappingModel
            /// Whether the mapping was inferred from the two models.
            public let isInferred: Bool
            /// The places of the two versions in the list, from 1.
            public let versions: (from: Int, to: Int)
            /// Whether the step leads to an older version.
            public var leadsBack: Bool { versions.to < versions.from }

            /// The versions by their indices, where there are others between them; nil for a step that has a mapping model.
            var inferredLeap: Leap? {
                guard isInferred, abs(versions.to - versions.from) > 1 else { return nil }
                return Leap(from: versions.from - 1, to: versions.to - 1)
            }
        }

        /// The steps, in order.
        public let steps: [Step]

        /// Looks for the steps.
        ///
        /// - Parameters:
        ///   - versions: the versions of the model, oldest first.
        ///   - start: index of the version to begin with.
        ///   - end: index of the version to reach; the last unless given.
        ///   - mappings: mapping models made by hand. Those found in `bundles` are used too.
        ///   - bundles: where to look for mapping models.
        /// - Throws: an error naming the step that is missing, what it lacks, and what to do, with the code of
        ///   `NSMappingModel.inferredMappingModel` (134190).
        public init(
            through versions: ModelVersions, from start: Int, to end: Int? = nil, mappings: [NSMappingModel] = [],
            in bundles: [Bundle] = [.main]
        ) throws {
            try self.init(through: versions, from: start, to: end, mappings: mappings, in: bundles, without: [])
        }

        /// - Parameter refused: inferred steps that a store cannot take.
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
                // Far leaps first: they make the shortest way.
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

        /// The version nearest to the end that can be reached.
        private static func last(_ start: Int, _ end: Int, _ reached: some Sequence<Int>) -> Int {
            let onTheWay = reached.filter { start < end ? $0 > start && $0 < end : $0 < start && $0 > end }
            return (start < end ? onTheWay.max() : onTheWay.min()) ?? start
        }

        /// Two versions, by their indices.
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

        /// Inferred steps keep the direction of the whole.
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

        /// The mapping models that lead from one of the versions to another.
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

        /// Mapping models given in code, and those in bundles, for any pair of versions.
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
            // All files are read once, not once for each pair.
            init(_ mappings: [NSMappingModel], _ bundles: [Bundle]) {
                self.mappings = mappings + NSMappingModel.mappingModels(in: bundles)
            }

            func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> NSMappingModel? {
                mappings.first { fits($0, source, destination) }
            }
            #endif
        }

        /// Whether a mapping model was made for two models: it names every entity, and every hash is right.
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
