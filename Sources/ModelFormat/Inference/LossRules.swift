/// Finds the objects, values and links of stores of the source that an inferred migration drops.
struct LossRules {
    private let models: ModelCorrespondence

    init(_ models: ModelCorrespondence) { self.models = models }

    /// Returns the affected entities, properties and elements, by their names in the source, sorted.
    func losses() -> [String] {
        var found: Set<String> = []
        for entity in models.source.model.entities where !entity.isAbstract {
            guard let successor = models.destinationNames[entity.name] else {
                found.insert(entity.name)
                continue
            }
            let pairs = models.propertyNames(of: successor)
            let news = models.destination.properties(successor).filter { pairs[$0.name] != nil }
            let byOldName = Dictionary(news.map { (pairs[$0.name] ?? "", $0) }) { first, _ in first }
            for property in models.source.properties(entity.name) {
                for path in losses(property, byOldName[property.name]) { found.insert("\(entity.name).\(path)") }
            }
        }
        return found.sorted()
    }

    private func losses(_ old: ModelProperty, _ new: ModelProperty?) -> [String] {
        if old.isTransient { return [] }
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)?): return losses(old, new, path: old.name)
        // Derived attributes are computed by the store.
        case (.attribute(let old), _) where old.isDerived: return []
        case (.relationship(let old), .relationship(let new)?):
            let isKept = !new.isTransient && models.survives(old) && (new.isOrdered || !old.isOrdered)
            return isKept ? [] : [old.name]
        default: return [old.name]
        }
    }

    private func losses(_ old: Attribute, _ new: Attribute, path: String) -> [String] {
        if old.isTransient || old.isDerived { return [] }
        if new.isTransient || new.isDerived { return [path] }
        if old.type == .composite, new.type == .composite {
            let pairs = models.elementNames(old, new)
            let news = models.destination.elements(of: new)
            return models.source.elements(of: old).flatMap { element in
                let path = "\(path).\(element.name)"
                return news.first { pairs[$0.name] == element.name }.map { losses(element, $0, path: path) } ?? [path]
            }
        }
        // Doubles are rounded.
        return old.type == .double && new.type == .float ? [path] : []
    }
}
