import ModelFormat

/// What can be wrong with relationships.
enum RelationshipRules {
    static let all = [
        LintRule(name: "missing-inverse", summary: "relationships without an inverse", check: missingInverse),
        LintRule(name: "delete-cycle", summary: "cascades that come back to where they began", check: cascades),
        LintRule(
            name: "dangling-delete", summary: "delete rules that leave objects without what they require",
            check: dangling),
        LintRule(name: "deny-both", summary: "two sides that deny each other's deletion", check: denyBoth),
        LintRule(name: "impossible-count", summary: "counts that no relationship can meet", check: counts),
    ]

    private static func each(_ run: LintRun, _ body: (Entity, Relationship) -> Void) {
        for entity in run.model.entities {
            for relationship in entity.relationships { body(entity, relationship) }
        }
    }

    private static func inverse(_ relationship: Relationship, _ run: LintRun) -> Relationship? {
        guard let name = relationship.inverseName else { return nil }
        return run.index.relationships(relationship.destinationName).first { $0.name == name }
    }

    @Sendable private static func missingInverse(_ run: inout LintRun) {
        var found: [(Entity, Relationship)] = []
        each(run) { if $1.inverseName == nil, !$1.isTransient { found.append(($0, $1)) } }
        for (entity, relationship) in found {
            run.report(
                .warning, entity.name, relationship.name, "the relationship has no inverse",
                advice: "Without one nothing keeps the other side in step, and deleted objects stay in the relationship"
            )
        }
    }

    /// Cascades on both sides of a relationship, and circles of entities that cascade to each other.
    @Sendable private static func cascades(_ run: inout LintRun) {
        var edges: [String: [(name: String, to: String)]] = [:]
        var both: [(Entity, Relationship)] = []
        each(run) { entity, relationship in
            guard relationship.deleteRule == .cascade else { return }
            if inverse(relationship, run)?.deleteRule == .cascade { both.append((entity, relationship)) }
            edges[entity.name, default: []].append((relationship.name, relationship.destinationName))
        }
        for (entity, relationship) in both {
            let other = "\(relationship.destinationName).\(relationship.inverseName ?? "")"
            run.report(
                .warning, entity.name, relationship.name, "this relationship and its inverse \(other) both cascade",
                advice: "Deleting one object deletes all that hang together: make the side of the part Nullify")
        }
        let mutual = Set(both.map { "\($0.0.name).\($0.1.name)" })
        for entity in run.model.entities {
            guard let path = circle(from: entity.name, edges), path.count > 1,
                !path.contains(where: mutual.contains), path.min() == path.first
            else { continue }
            run.report(
                .note, entity.name, nil, "cascades go in a circle: \(path.joined(separator: " -> "))",
                advice: "Make sure that deleting one of them is meant to delete the others")
        }
    }

    /// The relationships of a shortest circle of cascades from an entity back to it.
    private static func circle(from start: String, _ edges: [String: [(name: String, to: String)]]) -> [String]? {
        var queue: [(entity: String, path: [String])] = [(start, [])]
        var visited: Set<String> = []
        var next = 0
        while next < queue.count {
            let (entity, path) = queue[next]
            next += 1
            for edge in edges[entity] ?? [] {
                let longer = path + ["\(entity).\(edge.name)"]
                if edge.to == start { return longer }
                if visited.insert(edge.to).inserted { queue.append((edge.to, longer)) }
            }
        }
        return nil
    }

    @Sendable private static func dangling(_ run: inout LintRun) {
        var found: [(Entity, Relationship, String, String)] = []
        each(run) { entity, relationship in
            guard !relationship.isTransient else { return }
            if relationship.deleteRule == .noAction, relationship.inverseName != nil {
                found.append(
                    (
                        entity, relationship, "No Action leaves related objects pointing to an object that is gone",
                        "Use Nullify, or clear the relationship before deleting"
                    ))
            } else if relationship.deleteRule == .nullify, let inverse = inverse(relationship, run),
                !inverse.isOptional,
                !inverse.isToMany
            {
                found.append(
                    (
                        entity, relationship,
                        "deleting the object clears \(relationship.destinationName).\(inverse.name), which is required",
                        "Use Cascade or Deny, or make the inverse optional: the deletion cannot be saved"
                    ))
            }
        }
        for (entity, relationship, message, advice) in found {
            run.report(.warning, entity.name, relationship.name, message, advice: advice)
        }
    }

    @Sendable private static func denyBoth(_ run: inout LintRun) {
        var found: [(Entity, Relationship)] = []
        each(run) { entity, relationship in
            guard relationship.deleteRule == .deny, inverse(relationship, run)?.deleteRule == .deny else { return }
            found.append((entity, relationship))
        }
        for (entity, relationship) in found {
            run.report(
                .warning, entity.name, relationship.name, "this relationship and its inverse both deny deletion",
                advice: "Neither object can be deleted before the relationship is cleared")
        }
    }

    @Sendable private static func counts(_ run: inout LintRun) {
        var found: [(Entity, Relationship, String)] = []
        each(run) { entity, relationship in
            if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
                found.append(
                    (entity, relationship, "at least \(relationship.minCount) but at most \(relationship.maxCount)"))
            }
            if relationship.isOrdered, !relationship.isToMany {
                found.append((entity, relationship, "ordered, but to one"))
            }
        }
        for (entity, relationship, message) in found {
            run.report(.error, entity.name, relationship.name, "the relationship is \(message)")
        }
    }
}
