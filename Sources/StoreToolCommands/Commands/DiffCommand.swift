import CoreDataModelBuilding
import Foundation
import StoreTools

/// `storetool diff`
struct DiffCommand: Command {
    static let name = "diff"
    static let summary = "compares the objects of two stores"
    static let usage = "A B [ENTITY …]"
    static let details = """
        Objects are the same if their key attributes have equal values: those of --key, or else of a uniqueness constraint,
        or an attribute named id, identifier, uuid or <entity>ID; without one, if their primary keys are equal. Relationships
        are compared by the keys of their objects, dates to the microsecond, transformable values by class and size. “-”
        marks what only A has, “+” what only B has, “~” what differs. Exit status 0: no differences; 1: differences.
        """
    static let options = [
        CommandOption("key", "ENTITY=ATTRIBUTE", "the key of an entity, or several with commas; may be repeated"),
        CommandOption("summary", nil, "numbers only"), .json, .model,
    ]
    static let examples = [
        CommandExample("diff Before.sqlite After.sqlite", "What has changed."),
        CommandExample("diff Mine.sqlite Yours.sqlite Person --key Person=email", "Persons, by their address."),
    ]

    private let stores: [URL]
    private let entities: [String]
    private let keys: DiffKeys
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        let words = arguments.positional
        guard words.count >= 2 else { throw UsageError(words.isEmpty ? "A and B are missing" : "B is missing") }
        stores = words.prefix(2).map { URL(fileURLWithPath: $0) }
        entities = Array(words.dropFirst(2))
        var given: [String: [String]] = [:]
        for text in arguments.all("key") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw UsageError("--key takes ENTITY=ATTRIBUTE, not “\(text)”") }
            given[parts[0]] = parts[1].split(separator: ",").map(String.init)
        }
        keys = DiffKeys(given: given)
        self.arguments = arguments
    }

    private struct Counts {
        var onlyInFirst = 0
        var onlyInSecond = 0
        var changed = 0
        var isEmpty: Bool { onlyInFirst + onlyInSecond + changed == 0 }
    }

    func run(_ console: Console) throws -> Int32 {
        let model = try arguments.model()
        let (first, second) = (try OpenStore(stores[0], model: model), try OpenStore(stores[1], model: model))
        for name in Array(keys.given.keys).sorted() + entities where second.model.entity(named: name) == nil {
            _ = try EntityFacts(name, in: first.model)
        }
        let (ofFirst, ofSecond) = (Self.entities(first), Self.entities(second))
        let wanted = entities.isEmpty ? Set(ofFirst + ofSecond).sorted() : entities
        let compared = wanted.filter { ofFirst.contains($0) && ofSecond.contains($0) }
        var hasDifferences = false
        var results: [JSON] = []
        for name in wanted where !compared.contains(name) {
            let isInFirst = ofFirst.contains(name)
            guard isInFirst || ofSecond.contains(name) else {
                throw StoreToolError(
                    .invalidQuery, "The entity \(name) is abstract, or in a configuration that neither store has.",
                    advice: "Name the entities of its objects.")
            }
            hasDifferences = true
            let store = stores[isInFirst ? 0 : 1]
            results.append(.object([("entity", .string(name)), ("onlyIn", .string(isInFirst ? "A" : "B"))]))
            guard !arguments.has("json") else { continue }
            try console.line("\(name): only in \(isInFirst ? "A" : "B"), \(CellText.escaped(store.lastPathComponent))")
        }
        for name in compared {
            let plan = try DiffPlan(name, first.model, second.model, keys)
            let (counts, list) = try compare(plan, first, second, console)
            let isEqual = counts.isEmpty && plan.onlyInFirst.isEmpty && plan.onlyInSecond.isEmpty
            hasDifferences = hasDifferences || !isEqual
            results.append(json(plan, counts, list))
        }
        if arguments.has("json") {
            try console.line(
                JSON.object([
                    ("a", .string(stores[0].path)), ("b", .string(stores[1].path)), ("equal", .bool(!hasDifferences)),
                    ("entities", .array(results)),
                ]).text)
        } else if !hasDifferences {
            try console.line("No differences.")
        }
        return hasDifferences ? 1 : 0
    }

    private static func entities(_ store: OpenStore) -> [String] {
        let known = Set(store.entities)
        return store.model.entities.filter { !$0.isAbstract && known.contains($0.name) }.map(\.name).sorted()
    }

    /// Compares an entity; writes the differences, or returns them for JSON.
    private func compare(
        _ plan: DiffPlan, _ first: OpenStore, _ second: OpenStore, _ console: Console
    ) throws -> (Counts, [JSON]) {
        var counts = Counts()
        var list: [JSON] = []
        let (isJSON, isShort) = (arguments.has("json"), arguments.has("summary"))
        var hasTitle = false
        func title() throws {
            guard !hasTitle, !isJSON else { return }
            hasTitle = true
            let by = plan.keys.isEmpty ? "primary key" : plan.keys.joined(separator: ", ")
            try console.line(console.styled(plan.entity, .bold) + ", by \(by)")
            for name in plan.onlyInFirst { try console.line("  - property \(name)") }
            for name in plan.onlyInSecond { try console.line("  + property \(name)") }
        }
        if !plan.onlyInFirst.isEmpty || !plan.onlyInSecond.isEmpty { try title() }
        let diff = StoreDiff(plan: plan, first: first, second: second, check: console.checkInterruption)
        try diff.forEach { difference in
            switch difference {
            case .onlyInFirst: counts.onlyInFirst += 1
            case .onlyInSecond: counts.onlyInSecond += 1
            case .changed: counts.changed += 1
            }
            guard !isShort else { return }
            if isJSON { return list.append(json(difference)) }
            try title()
            try console.line("  " + text(difference, console))
        }
        if !counts.isEmpty, !isJSON {
            try title()
            let numbers = [
                (counts.onlyInFirst, "only in A"), (counts.onlyInSecond, "only in B"), (counts.changed, "changed"),
            ]
            let texts = numbers.filter { $0.0 > 0 }.map { "\(Quantity.count(Int64($0.0))) \($0.1)" }
            try console.line("  " + console.styled(texts.joined(separator: ", "), .faint))
        }
        return (counts, list)
    }

    private func text(_ difference: StoreDifference, _ console: Console) -> String {
        switch difference {
        case .onlyInFirst(let name, let object): return console.styled("- \(Self.both(name, object))", .red)
        case .onlyInSecond(let name, let object): return console.styled("+ \(Self.both(name, object))", .green)
        case .changed(let name, let object, let changes):
            let texts = changes.map { property, old, new in "\(property): \(Self.text(old)) → \(Self.text(new))" }
            let line = "~ \(Self.both(name, object))  " + texts.joined(separator: ", ")
            return console.styled(console.width.map { CellText.cut(line, to: max(20, $0 - 2)) } ?? line, .yellow)
        }
    }

    private static func both(_ name: String, _ object: String) -> String {
        let name = CellText.escaped(name)
        return name == object ? name : "\(name) (\(object))"
    }

    private static func text(_ value: StoreQuery.Value) -> String {
        value == .none ? "nil" : ValueText.cell(value, isExact: true).text
    }

    private func json(_ difference: StoreDifference) -> JSON {
        switch difference {
        case .onlyInFirst(let name, let object):
            .object([("kind", .string("onlyInA")), ("key", .string(name)), ("object", .string(object))])
        case .onlyInSecond(let name, let object):
            .object([("kind", .string("onlyInB")), ("key", .string(name)), ("object", .string(object))])
        case .changed(let name, let object, let changes):
            .object([
                ("kind", .string("changed")), ("key", .string(name)), ("object", .string(object)),
                (
                    "properties",
                    .object(
                        changes.map { property, old, new in
                            (property, .object([("a", .string(Self.text(old))), ("b", .string(Self.text(new)))]))
                        })
                ),
            ])
        }
    }

    private func json(_ plan: DiffPlan, _ counts: Counts, _ list: [JSON]) -> JSON {
        .object([
            ("entity", .string(plan.entity)), ("key", .array(plan.keys.map { .string($0) })),
            ("onlyInA", .number(counts.onlyInFirst)), ("onlyInB", .number(counts.onlyInSecond)),
            ("changed", .number(counts.changed)), ("propertiesOnlyInA", .array(plan.onlyInFirst.map { .string($0) })),
            ("propertiesOnlyInB", .array(plan.onlyInSecond.map { .string($0) })), ("differences", .array(list)),
        ])
    }
}
