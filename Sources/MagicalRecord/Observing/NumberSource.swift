import CoreData

/// A source that computes a number again whenever it may have changed.
final class NumberSource<Object: NSManagedObject, Number: Equatable>: WatchedSource<Number> {
    private let question: ResultsQuestion<Object>
    private let compute: (NSManagedObjectContext) throws -> Number
    private var dependencies: ResultsDependencies?
    private var needsLook = true
    private var number: Number?
    /// The number that was delivered last.
    private var taken: Number?

    /// - Parameter question: the objects the number is about, as sections the values it is computed from.
    init(_ question: ResultsQuestion<Object>, _ compute: @escaping (NSManagedObjectContext) throws -> Number) {
        (self.question, self.compute) = (question, compute)
    }

    /// No object is held, so the context says nothing of changes by others.
    override var watchesStores: Bool { true }

    override func prepare(in context: NSManagedObjectContext) throws {
        let request = try question.request(in: context)
        guard let entity = request.entity else { return }
        dependencies = ResultsDependencies(of: request, try question.section.get(), entity: entity)
    }

    private func note(_ matters: Bool) -> Bool {
        if matters { needsLook = true }
        return matters
    }

    private func matters(_ entity: NSEntityDescription) -> Bool {
        dependencies.map { $0.includesResults(of: entity) || $0.reach(entity) } ?? false
    }

    override func noteChanges(_ userInfo: [AnyHashable: Any]) -> Bool {
        let hasReset = userInfo[NSInvalidatedAllObjectsKey] != nil
        return note(hasReset || ChangedObjects.all(in: userInfo).contains { matters($0.entity) })
    }

    override func noteSave() -> Bool { note(!question.query.includesPendingChanges) }

    override func noteRows(of entities: Set<NSEntityDescription>) -> Bool { note(entities.contains(where: matters)) }

    override func update(in context: NSManagedObjectContext) throws -> Bool {
        guard needsLook else { return false }
        needsLook = false
        let new = try compute(context)
        defer { number = new }
        return new != number
    }

    override func take() throws -> Number? {
        // It may have gone and come back meanwhile.
        guard number != taken else { return nil }
        taken = number
        return number
    }
}
