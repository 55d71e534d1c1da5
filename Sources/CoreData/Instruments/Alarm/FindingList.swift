/// The findings, one for each place of the program.
struct FindingList {
    private struct Key: Hashable {
        /// The line, or the call stack if the line has not been symbolicated.
        enum Site: Hashable {
            case place(Instruments.Place?)
            case path(Instruments.CodePath)
        }

        let kind: Instruments.Finding.Kind
        let entity: String?
        let keyPath: String?
        let site: Site

        init(_ tally: FindingTally, _ site: Site) {
            kind = tally.kind
            entity = tally.entity
            keyPath = tally.keyPath ?? tally.step?.relationship
            self.site = site
        }
    }

    /// The tallies by place, for each call stack with that line.
    private var found: [[FindingTally]] = []
    private var indexes: [Key: Int] = [:]
    private var inMemoryUses = InMemoryUses()

    /// The maximum number of places kept with lines that must be symbolicated to decide whether they are findings.
    private static let mostSupposed = 4000

    /// Adds a finding, or a possible one.
    ///
    /// - Parameter lookingUpPlace: Whether its line is symbolicated now, or in ``lookUpPlaces()``.
    /// - Returns: The finding, if none of the kind was made for the place before.
    mutating func add(_ supposed: FindingTally, lookingUpPlace: Bool) -> FindingTally? {
        guard let tally = lookingUpPlace ? supposed.examined(by: &inMemoryUses) : supposed else { return nil }
        let key = Key(tally, lookingUpPlace || tally.isLocated ? .place(tally.places.first) : .path(tally.path))
        guard let index = indexes[key] else {
            if tally.isSupposed, found.count >= Self.mostSupposed { return nil }
            indexes[key] = found.count
            found.append([tally])
            return tally
        }
        // Counts of repetitions may increase; other findings are complete.
        if tally.kind.isOfRepetitions {
            found[index].append(tally)
        } else {
            found[index][0].add(tally)
        }
        return nil
    }

    /// Returns the call stacks of the findings, or of possible ones.
    func paths(areSupposed: Bool) -> [Instruments.CodePath] {
        found.flatMap { $0.filter { $0.isSupposed == areSupposed }.map(\.path) }
    }

    /// Merges findings with the same line and different call stacks, and removes possible ones that are none.
    mutating func lookUpPlaces() {
        let tallies = found.flatMap(\.self)
        (found, indexes) = ([], [:])
        for tally in tallies { _ = add(tally, lookingUpPlace: true) }
    }

    /// The findings with current counts.
    var findings: [Instruments.Finding] { found.map(Self.finding) }

    private static func finding(_ tallies: [FindingTally]) -> Instruments.Finding {
        let first = tallies[0]
        guard tallies.count > 1 else { return Instruments.Finding(first) }
        let sum = FindingTally(first.kind, entity: first.entity, keyPath: first.keyPath, places: first.places)
        (sum.detail, sum.counts) = (first.detail, first.counts)
        for tally in tallies { sum.add(tally) }
        let lacking = tallies.filter { !$0.isPrefetched }
        sum.isPrefetched = lacking.isEmpty
        if !lacking.isEmpty { sum.advisedWays = lacking.flatMap(\.ways) }
        return Instruments.Finding(sum)
    }
}

extension Instruments.Finding.Kind {
    fileprivate var isOfRepetitions: Bool {
        switch self {
        case .repeatedFault, .repeatedRelationshipFault, .repeatedFetch, .saveInLoop: true
        default: false
        }
    }
}
