import CoreData

/// A query with sections, made into a request on the context's queue.
struct ResultsQuestion<Object: NSManagedObject>: Sendable {
    var query: MagicalRecord.Query<Object>
    /// The key path of the sections, as ``KeyPathName`` finds it.
    var section: Result<String?, MagicalRecordError> = .success(nil)
    /// The key of sections that are values. Then the results themselves have no sections.
    var key: SectionKey?

    func request(in context: NSManagedObjectContext) throws -> NSFetchRequest<Object> {
        let request = try query.fetchRequest(in: context)
        let attribute = try key?.attribute(of: query.entity(in: context))
        if let key = try attribute ?? section.get(), request.sortDescriptors?.first?.key != key {
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] + (request.sortDescriptors ?? [])
        }
        if let dot = attribute?.lastIndex(of: "."), let relationship = attribute?[..<dot] {
            // The key is read from every object.
            let others = request.relationshipKeyPathsForPrefetching ?? []
            request.relationshipKeyPathsForPrefetching = others + [String(relationship)]
        }
        return request
    }

    /// Returns whether the sections have a key that may depend on anything.
    func hasComputedKey(in context: NSManagedObjectContext) throws -> Bool {
        try key.map { try $0.attribute(of: query.entity(in: context)) == nil } ?? false
    }
}

/// A source that keeps the results of one request up to date with their context, and makes values of them. The list retains its
/// objects, so that the context reports their changes.
final class ResultsSource<Object: NSManagedObject, Value>: WatchedSource<Value> {
    private let question: ResultsQuestion<Object>
    private let readKeys: ([Object]) -> Bool
    private let mapping: (MagicalRecord.ResultList<Object>) throws -> Value

    private var request = NSFetchRequest<Object>()
    private var sectionNameKeyPath: String?
    private var dependencies: ResultsDependencies?
    private var editor: ResultsEditor<Object>?
    private var state = ResultState<Object>()
    /// The state of which the last value was made.
    private var taken = ResultState<Object>()
    /// The results with values that changed since then.
    private var updated: Set<Object> = []
    /// The objects that changed since the last update: possible results, and objects related to results.
    private var changed: Set<NSManagedObject> = []
    private var related: Set<NSManagedObject> = []
    private var needsFetch = false
    private var hasFetched = false
    /// True if keys of sections may depend on any object, and one changed.
    private var hasComputedKey = false
    private var anyChanged = false

    /// - Parameters:
    ///   - readKeys: reads the keys of the results, and returns whether they have changed.
    ///   - mapping: makes a value of a list, for which the keys were read.
    init(
        _ question: ResultsQuestion<Object>, readKeys: @escaping ([Object]) -> Bool = { _ in false },
        _ mapping: @escaping (MagicalRecord.ResultList<Object>) throws -> Value
    ) {
        (self.question, self.readKeys, self.mapping) = (question, readKeys, mapping)
    }

    override func prepare(in context: NSManagedObjectContext) throws {
        request = try question.request(in: context)
        sectionNameKeyPath = try question.section.get()
        hasComputedKey = try question.hasComputedKey(in: context)
        guard let entity = request.entity else { return }
        dependencies = ResultsDependencies(of: request, sectionNameKeyPath, entity: entity)
        editor = ResultsEditor(request, sectionNameKeyPath)
    }

    override func noteChanges(_ userInfo: [AnyHashable: Any]) -> Bool {
        if userInfo[NSInvalidatedAllObjectsKey] != nil { needsFetch = true }
        guard let dependencies else { return hasNoted }
        for object in ChangedObjects.all(in: userInfo) {
            if dependencies.includesResults(of: object.entity) { changed.insert(object) }
            if dependencies.reach(object.entity) { related.insert(object) }
            if hasComputedKey { anyChanged = true }
        }
        return hasNoted
    }

    override func noteSave() -> Bool {
        // Only then does a fetch that leaves out unsaved changes see them.
        guard !request.includesPendingChanges else { return false }
        needsFetch = true
        return true
    }

    private var hasNoted: Bool { needsNewList || anyChanged }
    private var needsNewList: Bool { needsFetch || !changed.isEmpty || !related.isEmpty }

    override func update(in context: NSManagedObjectContext) throws -> Bool {
        if hasFetched, !hasNoted { return false }
        anyChanged = false
        let hasNews = try updateList(in: context)
        return readKeys(state.objects) || hasNews
    }

    private func updateList(in context: NSManagedObjectContext) throws -> Bool {
        guard hasFetched else { return try fetch(in: context, changed: []) }
        guard needsNewList else { return false }
        let (changed, related) = (self.changed, self.related)
        (self.changed, self.related) = ([], [])
        guard !needsFetch, let editor else { return try fetch(in: context, changed: changed) }
        var candidates = changed
        for object in related {
            guard let affected = dependencies?.affected(by: object) else {
                return try fetch(in: context, changed: changed)
            }
            candidates.formUnion(affected)
        }
        let (new, members) = editor.applying(candidates, to: state, in: context)
        let updated = members.intersection(changed.compactMap { $0 as? Object })
        self.updated.formUnion(updated)
        if let new { state = new }
        return new != nil || !updated.isEmpty
    }

    private func fetch(in context: NSManagedObjectContext, changed: Set<NSManagedObject>) throws -> Bool {
        needsFetch = false
        let objects = try context.results(of: request)
        let names = sectionNameKeyPath.map { path in objects.map { SectionName.of($0, path) } }
        let new = ResultState(objects, names: names)
        let updated = changed.isEmpty ? [] : objects.filter { changed.contains($0) }
        self.updated.formUnion(updated)
        defer { (hasFetched, state) = (true, new) }
        return !hasFetched || !state.isSame(as: new) || !updated.isEmpty
    }

    override func take() throws -> Value? {
        let list = MagicalRecord.ResultList(state: state, previous: taken, updated: updated)
        taken = state
        updated = []
        return try mapping(list)
    }
}

/// The name of an object's section.
enum SectionName {
    /// Returns the value of a key path as text, empty for none.
    static func of(_ object: NSManagedObject, _ keyPath: String) -> String {
        switch object.value(forKeyPath: keyPath) {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case .some(let value): "\(value)"
        }
    }
}
