import StoreTools

/// A table with the entities that have their rows in it.
struct InfoFamily {
    struct Member {
        let name: String
        let number: Int
        /// The number of the parent entity; 0 for a root.
        let parent: Int
        let isAbstract: Bool
    }

    let table: String
    let members: [Member]

    /// Returns the tables of a model's entities.
    static func families(_ schema: StoreSchema) -> [InfoFamily] {
        schema.tables.map { table in
            InfoFamily(
                table: table.name,
                members: table.family.compactMap(schema.entity).map {
                    Member(name: $0.name, number: $0.number, parent: $0.parent, isAbstract: $0.isAbstract)
                })
        }
    }

    /// Returns the tables of a store without a model, from the entities that it lists and the names of its tables.
    static func families(_ description: StoreDescription) -> [InfoFamily] {
        let members = description.numbers.map { name, row in
            Member(name: name, number: row.number, parent: row.parent ?? 0, isAbstract: false)
        }
        let tables = Dictionary(
            description.columns.filter { $0.value.contains("Z_PK") && $0.value.contains("Z_ENT") }
                .map { ($0.key.uppercased(), $0.key) }, uniquingKeysWith: { first, _ in first })
        let roots = members.filter { $0.parent == 0 }.sorted { $0.number < $1.number }
        return roots.compactMap { root in
            guard let table = tables["Z" + root.name.uppercased()] else { return nil }
            var family = [root]
            var seen: Set<Int> = [root.number]
            var index = 0
            while index < family.count {
                family += members.filter { $0.parent == family[index].number && seen.insert($0.number).inserted }
                index += 1
            }
            return InfoFamily(table: table, members: family)
        }
    }

    /// The entities, each before its subentities, and these by name; with the number of superentities.
    var inOrder: [(member: Member, depth: Int)] {
        let numbers = Set(members.map(\.number))
        var waiting = members.filter { !numbers.contains($0.parent) }.map { ($0, 0) }
        var seen: Set<Int> = []
        var order: [(Member, Int)] = []
        while let (member, depth) = waiting.popLast() {
            guard seen.insert(member.number).inserted else { continue }
            order.append((member, depth))
            let children = members.filter { $0.parent == member.number }.sorted { $0.name > $1.name }
            waiting += children.map { ($0, depth + 1) }
        }
        return order
    }
}
