/// What calls that read values of fetched objects have turned out to be, so that each is looked up once.
struct InMemoryUses {
    private var known: [Instruments.CodePath: InMemoryUse?] = [:]

    private static let most = 4000

    mutating func use(at path: Instruments.CodePath) -> InMemoryUse? {
        if let use = known[path] { return use }
        let use = InMemoryUse(path)
        // Bounds the memory of an alarm that goes on.
        if known.count >= Self.most { known = [:] }
        known[path] = .some(use)
        return use
    }
}

extension FindingTally {
    /// Returns the finding that its lines tell of; nil if they tell of none.
    func examined(by uses: inout InMemoryUses) -> FindingTally? {
        guard isSupposed else { return self }
        guard let use = uses.use(at: path) else { return nil }
        let tally = FindingTally(
            use.sorts ? .sortInMemory : .filterInMemory, entity: entity, keyPath: use.key, path: path,
            places: use.places)
        tally.add(self)
        tally.detail = use.function
        return tally
    }
}

/// A sequence function of the program's that reads one value of each object, to filter or to sort them.
struct InMemoryUse {
    let sorts: Bool
    /// The function as Swift names it.
    let function: String
    /// The property that is read, if its accessor can be told.
    let key: String?
    /// The line that calls the function, and those that led there.
    let places: [Instruments.Place]

    /// nil for other functions, and where the program computes something of its own from the values, which no store could.
    init?(_ path: Instruments.CodePath) {
        guard let algorithm = path.enclosingAlgorithm else { return nil }
        switch algorithm.kind {
        case .filter, .search: sorts = false
        case .sort, .extreme: sorts = true
        case .reduce, .group, .map, .forEach: return nil
        }
        // The closure, if there is one, and the line that calls the function; more means functions called by the closure.
        let places = path.places(upTo: 3)
        guard let call = places.firstIndex(of: algorithm.place), call <= 1 else { return nil }
        function = algorithm.function
        self.places = Array(places[call...])
        key = path.frames.lazy.prefix { $0.origin != .program }.compactMap { Self.property($0.function) }.first
        // Without a closure a key path led to the property.
        guard call == 1 || function.contains("Lazy") else { return }
        // A key path may also lead to a property that the program computes.
        guard places[0].function.contains("closure #"),
            let closure = ClosureText(passedTo: function, at: algorithm.place), closure.onlyCompares(key)
        else { return nil }
    }

    /// `age` of `User.age.getter`.
    private static func property(_ function: String) -> String? {
        guard function.hasSuffix(".getter") else { return nil }
        return function.dropLast(".getter".count).split(separator: ".").last.map(String.init)
    }
}
