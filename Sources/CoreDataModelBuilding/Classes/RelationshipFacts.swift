import ModelFormat

/// Collects what a property and a statement say about a relationship.
struct RelationshipFacts {
    let name: String
    let syntax: TypeSyntax
    let destinationName: String
    let place: SourcePlace
    var isToMany = false
    var isOrdered = false
    /// The name of the stated inverse.
    var inverse: String?

    init(name: String, syntax: TypeSyntax, destinationName: String, place: SourcePlace) {
        self.name = name
        self.syntax = syntax
        self.destinationName = destinationName
        self.place = place
    }

    func property(isOptional: Bool, _ reader: inout StatementReader?) -> ClassProperty<Relationship> {
        var initial = Relationship(name: name, destinationName: destinationName, isToMany: isToMany)
        initial.isOptional = isOptional
        initial.isOrdered = isOrdered
        var property = ClassProperty(name: name, initial: initial, place: place, typeText: syntax.text)
        property.facts = impliedFacts
        if reader != nil { property.facts += statedFacts(&reader!, &property) }
        return property
    }

    private var impliedFacts: [Fact<Relationship>] {
        let (isToMany, isOrdered, destination, text) = (isToMany, isOrdered, destinationName, syntax.text)
        return [
            Fact(
                "kind", stated: Self.kind(isToMany, isOrdered) + " (\(text))", place, isImplied: true,
                current: { Self.kind($0.isToMany, $0.isOrdered) },
                holds: { $0.isToMany == isToMany && $0.isOrdered == isOrdered },
                apply: {
                    if $0.isToMany != isToMany { $0.maxCount = isToMany ? 0 : 1 }
                    $0.isOrdered = isOrdered
                }),
            Fact(
                "destination", stated: destination, place, isImplied: true, current: { $0.destinationName },
                holds: { $0.destinationName == destination }, apply: { $0.destinationName = destination }),
        ]
    }

    private static func kind(_ isToMany: Bool, _ isOrdered: Bool) -> String {
        isToMany ? isOrdered ? "an ordered to-many" : "a to-many" : "a to-one"
    }

    private func statedFacts(
        _ reader: inout StatementReader, _ property: inout ClassProperty<Relationship>
    ) -> [Fact<Relationship>] {
        var facts: [Fact<Relationship>] = []
        if let inverse {
            facts.append(.text("inverse", inverse, reader.place("inverse"), at: \.inverseName))
        }
        if reader.bool("isOneWay") == true {
            if inverse != nil {
                reader.report(
                    reader.place("isOneWay"), "\(name) has an inverse, and is not one-way", "State one of the two")
            }
            facts.append(Fact("inverse", nil, reader.place("isOneWay"), at: \.inverseName) { $0 ?? "none" })
        }
        if let word = reader.member("deleteRule") {
            let rules: [String: DeleteRule] = [
                "noActionDeleteRule": .noAction, "nullifyDeleteRule": .nullify, "cascadeDeleteRule": .cascade,
                "denyDeleteRule": .deny,
            ]
            if let rule = rules[word] {
                facts.append(Fact("delete rule", rule, reader.place("deleteRule"), at: \.deleteRule, show: \.xmlName))
            } else {
                reader.report(
                    reader.place("deleteRule"), ".\(word) is no delete rule",
                    "Write .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule or .noActionDeleteRule")
            }
        }
        if let flag = reader.bool("isOptional") {
            facts.append(.flag("isOptional", flag, reader.place("isOptional"), at: \.isOptional))
        }
        if let flag = reader.bool("isTransient") {
            facts.append(.flag("isTransient", flag, reader.place("isTransient"), at: \.isTransient))
        }
        for (label, name, path) in [
            ("minimumCount", "minimum count", \Relationship.minCount),
            ("maximumCount", "maximum count", \Relationship.maxCount),
        ] {
            guard let count = reader.count(label) else { continue }
            if !isToMany {
                reader.report(reader.place(label), "\(self.name) is a to-one relationship", "Leave the count out")
            } else if label == "maximumCount", count == 1 {
                reader.report(
                    reader.place(label), "a maximum of 1 makes \(self.name) a to-one relationship",
                    "Declare it as \(destinationName)?, or state a maximum of 2 or more")
            }
            facts.append(Fact(name, count, reader.place(label), at: path) { "\($0)" })
        }
        if let old = reader.string("renamedFrom") {
            property.renamedFrom = old
            facts.append(.text("renaming identifier", old, reader.place("renamedFrom"), at: \.renamingIdentifier))
        }
        if let text = reader.string("versionHashModifier") {
            facts.append(
                .text("version hash modifier", text, reader.place("versionHashModifier"), at: \.versionHashModifier))
        }
        return facts + Fact.userInfo(reader.userInfo(), reader.place("userInfo"), at: \.userInfo)
    }
}
