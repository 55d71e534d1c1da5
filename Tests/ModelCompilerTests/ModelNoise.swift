import ModelFormat

/// Random models with hostile names, the same for the same seed.
struct ModelNoise {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    // MARK: Names

    private static let pieces = [
        "\"", "\"\"", "'", "''", ";", "--", "/*", "*/", "\\", "\\'", "\n", "\r", "\t", "\u{1}", "\u{7F}", "\u{85}",
        "\u{2028}",
        "$$", "$1", "%", " ", ".", "a", "B", "name", "Name", "e\u{301}", "é", "\"\u{301}", "'\u{301}", "\u{200D}", "👩‍👩‍👧",
        "🧨",
        "ß", "İ", "ﬁ", "select", "table", "id", "version", "entity", "xmin", "ctid", "pg_class", "coredata_metadata",
        "_idx",
        "_pkey", "_id_seq", "source", "target", "\"; CREATE TABLE injected (i int); --",
        "'); CREATE TABLE injected (i int); --",
        "*/; CREATE TABLE injected (i int); /*", "\n; CREATE TABLE injected (i int);\n",
    ]

    /// Returns a name of up to 200 characters.
    mutating func name() -> String {
        switch below(8) {
        case 0: return String(repeating: pick(Self.pieces), count: 200 / 7)
        case 1: return String(repeating: pick(["a", "ä", "🧨", "\"", "'"]), count: 200)
        case 2: return pick(Self.pieces)
        default: return (0...below(5)).map { _ in pick(Self.pieces) }.joined()
        }
    }

    private mutating func name(besides taken: inout Set<String>) -> String {
        while true {
            let name = name()
            if taken.insert(name).inserted { return name }
        }
    }

    // MARK: Models

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
        .transformable,
    ]

    mutating func model() -> Model {
        var names: Set<String> = []
        var properties: Set<String> = []
        var entities: [Entity] = []
        for number in 0...below(5) {
            var entity = Entity(name: name(besides: &names))
            if number > 0, below(3) == 0 { entity.parentName = entities[below(number)].name }
            entity.isAbstract = below(6) == 0
            if below(6) == 0 { entity.userInfo["postgresql.name"] = .string(name()) }
            for _ in 0..<below(5) { entity.attributes.append(attribute(name(besides: &properties))) }
            decorate(&entity)
            entities.append(entity)
        }
        for _ in 0..<below(5) {
            let (one, other) = (below(entities.count), below(entities.count))
            relate(one, other, name(besides: &properties), name(besides: &properties), &entities)
        }
        return Model(entities: entities)
    }

    private mutating func attribute(_ name: String) -> Attribute {
        var attribute = Attribute(name: name, type: pick(Self.types), isOptional: below(2) == 0)
        if below(6) == 0 {
            attribute.type = .composite
            var names: Set<String> = []
            attribute.elements = (0...below(3)).map { _ in
                Attribute(name: self.name(besides: &names), type: pick(Self.types), isOptional: true)
            }
        } else if below(6) == 0 {
            attribute.userInfo["postgresql.name"] = .string(self.name())
        }
        return attribute
    }

    private mutating func decorate(_ entity: inout Entity) {
        guard !entity.attributes.isEmpty else { return }
        if below(2) == 0 { entity.uniquenessConstraints.append([pick(entity.attributes).name]) }
        for _ in 0..<below(3) {
            let attribute = pick(entity.attributes)
            var index = FetchIndex(
                name: name(), elements: [FetchIndexElement(property: attribute.name, isAscending: below(2) == 0)])
            if attribute.type == .string, !attribute.name.contains(where: { !$0.isLetter || !$0.isASCII }) {
                index.partialIndexPredicate = "\(attribute.name) == \"' OR ; --\""
            }
            entity.fetchIndexes.append(index)
        }
    }

    private mutating func relate(
        _ one: Int, _ other: Int, _ name: String, _ inverseName: String, _ entities: inout [Entity]
    ) {
        var relationship = Relationship(
            name: name, destinationName: entities[other].name, inverseName: inverseName, isToMany: below(2) == 0)
        var inverse = Relationship(
            name: inverseName, destinationName: entities[one].name, inverseName: name, isToMany: below(2) == 0)
        relationship.isOrdered = relationship.isToMany && below(3) == 0
        inverse.isOrdered = inverse.isToMany && below(3) == 0
        if below(5) == 0 { relationship.userInfo["postgresql.name"] = .string(self.name()) }
        switch below(5) {
        case 0:
            relationship.inverseName = nil
            entities[one].relationships.append(relationship)
        case 1 where one == other:
            relationship.inverseName = name
            entities[one].relationships.append(relationship)
        default:
            entities[one].relationships.append(relationship)
            entities[other].relationships.append(inverse)
        }
    }

    /// Returns the number of tables that a model needs: one for each hierarchy, and one for each many-to-many relationship.
    static func tableCount(of model: Model) -> (entities: Int, all: Int) {
        let roots = model.entities.filter { $0.parentName == nil }.count
        var sides = 0, reflexive = 0
        let relationships = model.entities.flatMap(\.relationships)
        for relationship in relationships where relationship.isToMany {
            guard let inverse = relationships.first(where: { $0.name == relationship.inverseName }), inverse.isToMany
            else { continue }
            if inverse.name == relationship.name { reflexive += 1 } else { sides += 1 }
        }
        return (roots, roots + reflexive + sides / 2)
    }
}
