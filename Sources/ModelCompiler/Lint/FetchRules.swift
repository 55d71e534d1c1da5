import ModelFormat

/// The rules for fetch requests and fetched properties.
enum FetchRules {
    static let all = [
        LintRule(name: "bad-predicate", summary: "predicates that cannot be read or lead nowhere", check: predicates),
        LintRule(
            name: "unindexed-fetch", summary: "fetch requests that look for what no index finds", check: unindexed),
    ]

    /// Returns the requests of a model with their locations.
    private static func requests(
        _ run: LintRun
    ) -> [(entity: String?, property: String, template: FetchTemplate)] {
        run.model.fetchTemplates.map { (nil, $0.name, $0) }
            + run.model.entities.flatMap { entity in
                entity.fetchedProperties.map { (entity.name, $0.name, $0.fetchRequest) }
            }
    }

    @Sendable private static func predicates(_ run: inout LintRun) {
        for (entity, property, template) in requests(run) {
            guard let text = template.predicate else { continue }
            guard let paths = FetchPaths.paths(ofPredicate: text) else {
                run.report(.error, entity, property, "the predicate \"\(text)\" cannot be read")
                continue
            }
            for path in paths + template.sortKeys.map(\.key) {
                if let problem = FetchPaths.problem(with: path, from: template.entityName, in: run.index) {
                    run.report(.error, entity, property, problem)
                }
            }
        }
    }

    @Sendable private static func unindexed(_ run: inout LintRun) {
        for (entity, property, template) in requests(run) {
            let paths =
                (template.predicate.flatMap(FetchPaths.paths(ofPredicate:)) ?? []) + template.sortKeys.map(\.key)
            let known = indexed(template.entityName, run.index)
            let attributes = Set(run.index.attributes(template.entityName).filter { !$0.isTransient }.map(\.name))
            for path in Set(paths).sorted() where attributes.contains(path) && !known.contains(path) {
                run.report(
                    .note, entity, property, "the request looks for \(template.entityName).\(path), which has no index",
                    advice: "Add a fetch index that begins with it if the entity has many objects")
            }
        }
    }

    /// Returns the properties at the start of an index or a constraint.
    private static func indexed(_ entity: String, _ index: ModelIndex) -> Set<String> {
        var names: Set<String> = []
        for ancestor in index.lineage(entity) {
            for fetchIndex in ancestor.effectiveFetchIndexes {
                if case .property(let name)? = fetchIndex.elements.first?.subject { names.insert(name) }
            }
            names.formUnion(ancestor.uniquenessConstraints.compactMap(\.first))
        }
        return names
    }
}
