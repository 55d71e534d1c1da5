/// What was found, each place of the program once.
struct FindingList {
    private struct Key: Hashable {
        /// The line, or the calls that led there while the line is not looked up.
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

    /// By place, the tallies of each way that leads there.
    private var found: [[FindingTally]] = []
    private var indexes: [Key: Int] = [:]
    private var inMemoryUses = InMemoryUses()

    /// How many places are kept whose lines have yet to tell whether there is a finding.
    private static let mostSupposed = 4000

    /// Adds what was found, or may be a finding.
    ///
    /// - Parameter lookingUpPlace: whether its line is looked up now, or in ``lookUpPlaces()``.
    /// - Returns: the finding, if nothing of the kind was found there.
    mutating func add(_ supposed: FindingTally, lookingUpPlace: Bool) -> FindingTally? {
        guard let tally = lookingUpPlace ? supposed.examined(by: &inMemoryUses) : supposed else { return nil }
        let key = Key(tally, lookingUpPlace || tally.isLocated ? .place(tally.places.first) : .path(tally.path))
        guard let index = indexes[key] else {
            if tally.isSupposed, found.count >= Self.mostSupposed { return nil }
            indexes[key] = found.count
            found.append([tally])
            return tally
        }
        // Repetitions go on being counted; others are complete.
        if tally.kind.isOfRepetitions {
            found[index].append(tally)
        } else {
            found[index][0].add(tally)
        }
        return nil
    }

    /// What led to the findings, or to what may be one.
    func paths(areSupposed: Bool) -> [Instruments.CodePath] {
        found.flatMap { $0.filter { $0.isSupposed == areSupposed }.map(\.path) }
    }

    /// Brings together what was found on one line, reached by several ways, and leaves out what turns out to be no finding.
    mutating func lookUpPlaces() {
        let tallies = found.flatMap(\.self)
        (found, indexes) = ([], [:])
        for tally in tallies { _ = add(tally, lookingUpPlace: true) }
    }

    /// Each with the numbers of now.
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
