import ModelFormat

/// The rules for a model as a whole.
enum ModelRules {
    static let all = [
        LintRule(name: "bad-constraint", summary: "uniqueness constraints no store can keep", check: constraints),
        LintRule(name: "unconfigured-entity", summary: "entities in none of the configurations", check: configurations),
        LintRule(name: "lonely-abstract", summary: "abstract entities nothing inherits from", check: lonelyAbstract),
        LintRule(name: "cloudkit", summary: "what CloudKit does not take, in models used with it", check: cloudKit),
        LintRule(name: "unknown-attribute", summary: "what a file says without a meaning here", check: unknown),
        .warnings("unread-part", "what a file of Xcode 3 or a mapping model says that is not read", .unsupported),
        LintRule(name: "not-compiled", summary: "what compiled models do not hold", check: notCompiled),
        // Reported for mapping models, which have no other rules.
        LintRule(name: "empty-mapping", summary: "entity mappings without entities") { _ in },
    ]

    @Sendable private static func constraints(_ run: inout LintRun) {
        for entity in run.model.entities {
            for constraint in entity.uniquenessConstraints {
                for name in constraint {
                    if let attribute = run.index.attributes(entity.name).first(where: { $0.name == name }) {
                        if attribute.isTransient {
                            run.report(
                                .error, entity.name, name, "the uniqueness constraint names a transient attribute")
                        }
                        if attribute.isOptional, constraint.count == 1 {
                            run.report(
                                .note, entity.name, name, "the attribute is unique, but optional",
                                advice: "Any number of objects may have nil")
                        }
                    }
                    if run.index.relationships(entity.name).first(where: { $0.name == name })?.isToMany == true {
                        run.report(
                            .error, entity.name, name, "the uniqueness constraint names a to-many relationship")
                    }
                }
            }
        }
    }

    @Sendable private static func notCompiled(_ run: inout LintRun) {
        for entity in run.model.entities where entity.spotlightDisplayNameExpression != nil {
            run.report(
                .note, entity.name, nil, "the entity's Spotlight display name is not written into compiled models",
                advice: "Nothing reads it where there is no Spotlight")
        }
    }

    @Sendable private static func configurations(_ run: inout LintRun) {
        guard !run.model.configurations.isEmpty else { return }
        let members = Set(run.model.configurations.flatMap(\.entityNames))
        for entity in run.model.entities where !members.contains(entity.name) && !entity.isAbstract {
            run.report(
                .note, entity.name, nil, "the entity is in none of the configurations",
                advice: "Stores opened with one of these do not hold it")
        }
    }

    @Sendable private static func lonelyAbstract(_ run: inout LintRun) {
        let parents = Set(run.model.entities.compactMap(\.parentName))
        for entity in run.model.entities where entity.isAbstract && !parents.contains(entity.name) {
            run.report(
                .note, entity.name, nil, "the entity is abstract, and nothing inherits from it",
                advice: "It can have no objects")
        }
    }

    @Sendable private static func cloudKit(_ run: inout LintRun) {
        guard ["YES", "true"].contains(run.model.extraAttributes["usedWithCloudKit"] ?? "") else { return }
        for entity in run.model.entities {
            if !entity.uniquenessConstraints.isEmpty {
                run.report(.error, entity.name, nil, "CloudKit does not keep uniqueness constraints")
            }
            for attribute in entity.attributes
            where !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient {
                run.report(
                    .error, entity.name, attribute.name, "CloudKit needs attributes to be optional or have a default")
            }
            for relationship in entity.relationships {
                if !relationship.isOptional {
                    run.report(.error, entity.name, relationship.name, "CloudKit needs relationships to be optional")
                }
                if relationship.inverseName == nil {
                    run.report(.error, entity.name, relationship.name, "CloudKit needs an inverse")
                }
                if relationship.isOrdered {
                    run.report(.error, entity.name, relationship.name, "CloudKit keeps no order")
                }
                if relationship.deleteRule == .deny {
                    run.report(.error, entity.name, relationship.name, "CloudKit knows no Deny")
                }
            }
        }
    }

    /// The attributes that the editor writes.
    private static let known: Set<String> = [
        "type", "documentVersion", "name", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
        "macOSVersion", "iOSVersion", "usedWithCloudKit", "usedWithSwiftData", "syncable",
        // Reported by other rules.
        "inverseEntity", "defaultValueString", "defaultDateTimeInterval", "XD_PSK_fetchRequestsArray",
    ]

    @Sendable private static func unknown(_ run: inout LintRun) {
        func words(_ attributes: [String: String], _ elements: [ExtraElement]) -> [String] {
            attributes.keys.sorted().filter { !known.contains($0) }.map { "an attribute \($0)" }
                + elements.map { "an element <\($0.name)>" }
        }
        for thing in words(run.model.extraAttributes, run.model.extraElements) {
            run.report(.note, nil, nil, "the model has \(thing), which means nothing here")
        }
        for entity in run.model.entities {
            for thing in words(entity.extraAttributes, entity.extraElements) {
                run.report(.note, entity.name, nil, "the entity has \(thing), which means nothing here")
            }
            let properties =
                entity.attributes.map { ($0.name, words($0.extraAttributes, $0.extraElements)) }
                + entity.relationships.map { ($0.name, words($0.extraAttributes, $0.extraElements)) }
                + entity.fetchedProperties.map { ($0.name, words($0.extraAttributes, $0.extraElements)) }
            for (name, things) in properties {
                for thing in things {
                    run.report(.note, entity.name, name, "the property has \(thing), which means nothing here")
                }
            }
        }
    }
}
