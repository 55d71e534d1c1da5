/// A cache of call stacks that read values of fetched objects, so that each is symbolicated once.
struct InMemoryUses {
    private var known: [Instruments.CodePath: InMemoryUse?] = [:]

    private static let most = 4000

    mutating func use(at path: Instruments.CodePath) -> InMemoryUse? {
        if let use = known[path] { return use }
        let use = InMemoryUse(path)
        // Limits the memory of an alarm that runs for long.
        if known.count >= Self.most { known = [:] }
        known[path] = .some(use)
        return use
    }
}

extension FindingTally {
    /// Returns the finding that the source lines confirm; nil if they confirm none.
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

/// A call of a sequence function by the program that reads one value of each object, to filter or sort the objects.
struct InMemoryUse {
    let sorts: Bool
    /// The function in Swift's notation.
    let function: String
    /// The property that is read, if its accessor is known.
    let key: String?
    /// The line that calls the function, and its callers.
    let places: [Instruments.Place]

    /// Examines a call stack; nil for other functions, and if the program computes from the values something that no store
    /// could.
    init?(_ path: Instruments.CodePath) {
        guard let algorithm = path.enclosingAlgorithm else { return nil }
        switch algorithm.kind {
        case .filter, .search: sorts = false
        case .sort, .extreme: sorts = true
        case .reduce, .group, .map, .forEach: return nil
        }
        // The closure, if there is one, and the line that calls the function; a further line would be a function called by the
        // closure.
        let places = path.places(upTo: 3)
        guard let call = places.firstIndex(of: algorithm.place), call <= 1 else { return nil }
        function = algorithm.function
        self.places = Array(places[call...])
        key = path.frames.lazy.prefix { $0.origin != .program }.compactMap { Self.property($0.function) }.first
        // Without a closure the property was read through a key path.
        guard call == 1 || function.contains("Lazy") else { return }
        // The key path may also refer to a property that the program computes.
        guard places[0].function.contains("closure #"),
            let closure = ClosureText(passedTo: function, at: algorithm.place), closure.onlyCompares(key)
        else { return nil }
    }

    /// Returns `age` for `User.age.getter`.
    private static func property(_ function: String) -> String? {
        guard function.hasSuffix(".getter") else { return nil }
        return function.dropLast(".getter".count).split(separator: ".").last.map(String.init)
    }
}
