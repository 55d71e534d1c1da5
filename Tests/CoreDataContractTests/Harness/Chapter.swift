/// What a group of rules is about.
enum Chapter: CaseIterable, Sendable {
    case reading, order, limits, predicates, counts, dictionaries, toMany, keys, saves, links, conflicts, destinations
    case batches, history, snapshots, sessions, failures

    var rules: [ContractCase] {
        switch self {
        case .reading: ReadingCases.all
        case .order: OrderCases.all
        case .limits: LimitCases.all
        case .predicates: PredicateCases.all
        case .counts: CountCases.all
        case .dictionaries: DictionaryCases.all
        case .toMany: ToManyCases.all
        case .keys: KeyCases.all
        case .saves: SaveCases.all
        case .links: LinkCases.all
        case .conflicts: ConflictCases.all
        case .destinations: DestinationCases.all
        case .batches: BatchCases.all
        case .history: HistoryCases.all
        case .snapshots: SnapshotCases.all
        case .sessions: SessionCases.all
        case .failures: FailureCases.all
        }
    }
}
