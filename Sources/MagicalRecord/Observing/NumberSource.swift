import CoreData

/// A source that computes a number again whenever it may have changed.
final class NumberSource<Object: NSManagedObject, Number: Equatable>: DistinctSource<Number> {
    private let question: ResultsQuestion<Object>
    private let compute: (NSManagedObjectContext) throws -> Number
    private var dependencies: ResultsDependencies?

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

    private func matters(_ entity: NSEntityDescription) -> Bool {
        dependencies.map { $0.includesResults(of: entity) || $0.reach(entity) } ?? false
    }

    override func noteChanges(_ userInfo: [AnyHashable: Any]) -> Bool {
        let hasReset = userInfo[NSInvalidatedAllObjectsKey] != nil
        return note(hasReset || ChangedObjects.all(in: userInfo).contains { matters($0.entity) })
    }

    override func noteSave() -> Bool { note(!question.query.includesPendingChanges) }

    override func noteRows(of entities: Set<NSEntityDescription>) -> Bool { note(entities.contains(where: matters)) }

    override func look(in context: NSManagedObjectContext) throws -> Number? { try compute(context) }
}
