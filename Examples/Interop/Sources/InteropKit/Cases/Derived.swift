extension Case {
    /// Derived attributes that triggers update: counts, and values across a to-one relationship.
    static let derived = Case(
        name: "derived", title: "Derived attributes: counts and values of another object",
        schema: schemaOfDerived, next: schemaOfDerived.adding(to: "Member"),
        fill: [
            .insert("Team", "red", ["title": .text("Red")]), .insert("Team", "blue", ["title": .text("Blue")]),
            .insert("Member", "a", [:]), .insert("Member", "b", [:]), .insert("Member", "c", [:]),
            .link("red", "members", ["a", "b"]), .link("blue", "members", ["c"]),
            .save(by: "writer"),
        ],
        edit: [
            .link("b", "team", ["blue"]), .set("red", "title", .text("Crimson")),
            .insert("Member", "d", [:]), .link("d", "team", ["red"]), .delete("c"),
            .save(by: "editor"),
            .insert("Team", "green", ["title": .none]), .link("a", "team", ["green"]),
            .save(by: "editor"),
        ])

    private static let schemaOfDerived = Schema([
        EntityShape(
            "Team",
            [
                .init("title", .text),
                .init("memberCount", .integer64, derivation: .count(of: "members")),
            ], links: [.many("members", "Member", inverse: "team")]),
        EntityShape(
            "Member", [.init("teamTitle", .text, derivation: .value(of: "title", through: "team"))],
            links: [.one("team", "Team", inverse: "members")]),
    ])

    /// Derived attributes with string functions.
    static let derivedTexts = Case(
        name: "derived-texts", title: "Derived attributes: lower case, upper case, canonical form",
        schema: schemaOfDerivedTexts, next: schemaOfDerivedTexts.adding(to: "Word"),
        fill: [
            .insert("Word", "plain", ["text": .text("Plain Text")]),
            .insert("Word", "accents", ["text": .text("Caf\u{E9} \u{C5}ngstr\u{F6}m")]),
            .insert("Word", "empty", ["text": .text("")]), .insert("Word", "none", [:]),
            .save(by: "writer"),
        ],
        edit: [
            .set("plain", "text", .text("Other TEXT")), .set("none", "text", .text("\u{DC}ber")),
            .set("accents", "text", .none), .insert("Word", "added", ["text": .text("New")]), .delete("empty"),
            .save(by: "editor"),
        ])

    private static let schemaOfDerivedTexts = Schema([
        EntityShape(
            "Word",
            [
                .init("text", .text), .init("lower", .text, derivation: .lowercase(of: "text")),
                .init("upper", .text, derivation: .uppercase(of: "text")),
                .init("canonical", .text, derivation: .canonical(of: "text")),
            ])
    ])

    /// Derived attributes with sums over a relationship.
    static let derivedSums = Case(
        name: "derived-sums", title: "Derived attributes: sums",
        schema: schemaOfDerivedSums, next: schemaOfDerivedSums.adding(to: "Line"),
        fill: [
            .insert("Order", "o1", [:]), .insert("Order", "o2", [:]),
            .insert("Line", "l1", ["amount": .integer(3)]), .insert("Line", "l2", ["amount": .integer(-5)]),
            .insert("Line", "l3", ["amount": .integer(1_000_000_000_000)]),
            .link("o1", "lines", ["l1", "l2"]), .link("o2", "lines", ["l3"]),
            .save(by: "writer"),
        ],
        edit: [
            .set("l1", "amount", .integer(10)), .link("l2", "order", ["o2"]),
            .insert("Line", "l4", ["amount": .integer(7)]), .link("l4", "order", ["o1"]),
            .save(by: "editor"),
            .delete("l2"),
            .save(by: "editor"),
        ])

    private static let schemaOfDerivedSums = Schema([
        EntityShape(
            "Order", [.init("total", .integer64, derivation: .sum(of: "amount", over: "lines"))],
            links: [.many("lines", "Line", inverse: "order")]),
        EntityShape("Line", [.init("amount", .integer64)], links: [.one("order", "Order", inverse: "lines")]),
    ])
}
