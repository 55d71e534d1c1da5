import ModelFormat

/// The rules for relationships.
enum RelationshipRules {
    static let all: [LintRule] = [
        .relationships("missing-inverse", "relationships without an inverse") { relationship, _ in
            guard relationship.inverseName == nil, !relationship.isTransient else { return [] }
            return [
                .warning(
                    "the relationship has no inverse",
                    advice:
                        "Without one nothing keeps the other side in step, and deleted objects stay in the relationship"
                )
            ]
        },
        .warnings("inverse-mismatch", "inverses that are another relationship's", .inverseMismatch),
        .warnings("inverse-entity", "inverses named as another entity's", .inverseEntity),
        .relationships("empty-to-many", "relationships that may be empty though not optional") { relationship, _ in
            guard relationship.isToMany, !relationship.isOptional, relationship.minCount == 0 else { return [] }
            return [
                .note(
                    "the relationship is not optional, but may be empty",
                    advice: "Set its minimum count to 1 if it needs an object, else make it optional")
            ]
        },
        LintRule(name: "delete-cycle", summary: "cascades that come back to where they began", check: cascades),
        .relationships("dangling-delete", "delete rules that leave objects without what they require", check: dangling),
        .relationships("deny-both", "two sides that deny each other's deletion") { relationship, inverse in
            guard relationship.deleteRule == .deny, inverse?.deleteRule == .deny else { return [] }
            return [
                .warning(
                    "this relationship and its inverse both deny deletion",
                    advice: "Neither object can be deleted before the relationship is cleared")
            ]
        },
        .relationships("impossible-count", "counts that no relationship can meet") { relationship, _ in
            let (least, most) = (relationship.minCount, relationship.maxCount)
            guard most > 0, least > most else { return [] }
            return [.error("the relationship is at least \(least) but at most \(most)")]
        },
        .relationships("ordered-to-one", "orders of single objects") { relationship, _ in
            guard relationship.isOrdered, !relationship.isToMany else { return [] }
            return [
                .note("the relationship is ordered, but to one", advice: "The order means nothing: switch it off")
            ]
        },
    ]

    @Sendable private static func dangling(_ relationship: Relationship, _ inverse: Relationship?) -> [Complaint] {
        guard !relationship.isTransient else { return [] }
        if relationship.deleteRule == .noAction, relationship.inverseName != nil {
            return [
                .warning(
                    "No Action leaves related objects pointing to an object that is gone",
                    advice: "Use Nullify, or clear the relationship before deleting")
            ]
        }
        guard relationship.deleteRule == .nullify, let inverse, !inverse.isOptional, !inverse.isToMany else {
            return []
        }
        return [
            .warning(
                "deleting the object clears \(relationship.destinationName).\(inverse.name), which is required",
                advice: "Use Cascade or Deny, or make the inverse optional: the deletion cannot be saved")
        ]
    }

    /// Reports cascades on both sides of a relationship, and cycles of cascades between entities.
    @Sendable private static func cascades(_ run: inout LintRun) {
        var edges: [String: [(name: String, to: String)]] = [:]
        var mutual: Set<String> = []
        for entity in run.model.entities {
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                edges[entity.name, default: []].append((relationship.name, relationship.destinationName))
                guard run.index.inverse(of: relationship)?.deleteRule == .cascade else { continue }
                mutual.insert("\(entity.name).\(relationship.name)")
                let other = "\(relationship.destinationName).\(relationship.inverseName ?? "")"
                run.report(
                    .warning, entity.name, relationship.name, "this relationship and its inverse \(other) both cascade",
                    advice: "Deleting one object deletes all that hang together: make the side of the part Nullify")
            }
        }
        for entity in run.model.entities {
            guard let path = circle(from: entity.name, edges), path.count > 1,
                !path.contains(where: mutual.contains), path.min() == path.first
            else { continue }
            run.report(
                .note, entity.name, nil, "cascades go in a circle: \(path.joined(separator: " -> "))",
                advice: "Make sure that deleting one of them is meant to delete the others")
        }
    }

    /// Returns the relationships of a shortest cascade cycle through an entity; nil if there is none.
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
}
